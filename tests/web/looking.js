// What a page finds out about itself in tests: controls without a name, texts that are too faint (WCAG 2).
const nameless = () => {
  const wrong = [];
  for (const one of document.querySelectorAll("button, a[href], input, select, textarea, summary")) {
    const label = one.labels?.length ? one.labels[0].textContent : "";
    const text = one.getAttribute("aria-label") || label || one.textContent || one.title;
    if (!text.trim()) wrong.push(one.outerHTML.slice(0, 120));
  }
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  if (new Set(ids).size !== ids.length) wrong.push("an id is given twice");
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  if (!document.documentElement.lang) wrong.push("no language");
  return wrong;
};

const faint = () => {
  const parse = (text) => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const over = (top, below) => [0, 1, 2].map((k) => top[k] * top[3] + below[k] * (1 - top[3]));
  const light = (rgb) => { const [r, g, b] = rgb.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(parse(getComputedStyle(one).backgroundColor));
    const base = matchMedia("(prefers-color-scheme: dark)").matches ? [22, 24, 28] : [255, 255, 255];
    return layers.reverse().reduce((below, layer) => over(layer, below), base);
  };
  const opacity = (element) => { let all = 1; for (let one = element; one; one = one.parentElement) all *= Number(getComputedStyle(one).opacity); return all; };
  const faint = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim(), element = walk.currentNode.parentElement;
    if (!text || !element.checkVisibility({ checkOpacity: false, checkVisibilityCSS: true })) continue;
    if (element.closest("button:disabled, .hidden, option, svg, [aria-hidden=true]")) continue;
    const style = getComputedStyle(element), page = behind(element);
    const colour = parse(style.color); colour[3] *= opacity(element);
    const [a, b] = [light(over(colour, page)), light(page)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)} ${element.tagName}.${element.className} ${text.slice(0, 40)}`);
  }
  return faint;
};
