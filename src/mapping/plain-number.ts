/** The number as plain digits without grouping or exponent: `1000000`, `0.72`, `-5`. */
export function plainNumber(value: number): string {
  const text = String(value);
  return text.includes('e') ? withoutExponent(value) : text;
}

/** Beyond this many digits after the point there is nothing that a CRM could hold. */
const MAX_SHOWN_DECIMALS = 20;

function withoutExponent(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString();
  return value
    .toFixed(MAX_SHOWN_DECIMALS)
    .replace(/\.?0+$/, '')
    .replace(/^-0$/, '0');
}
