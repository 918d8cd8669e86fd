"""How good is what nobody read: draws, bets and the bounds that they give. Arrays in, arrays out."""
