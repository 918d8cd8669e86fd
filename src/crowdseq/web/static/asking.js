// Requests to our own server: JSON there and back, and one kind of error.

export class Refusal extends Error {
  constructor(status, answer) {
    super(answer.error ?? `the server answered ${status}`);
    this.status = status;
    this.answer = answer;
  }
}

async function answered(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch {
    throw new Refusal(0, { error: "the server cannot be reached; is crowdseq review still running?" });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

export const get = (path, values = {}) => {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value != null));
  return answered(`${path}${query.size ? `?${query}` : ""}`, {});
};

export const post = (path, value) =>
  answered(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
