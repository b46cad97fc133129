import { encode } from 'uqr';

/** The width of the white border around the code, which the QR code standard requires. */
const QUIET_ZONE = 4;

/**
 * Renders a QR code as an inline picture. The QR code is black on white in both colour themes, because cameras need
 * this contrast.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  return (
    <svg
      class="qr-code"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path fill="#000" d={data.map(drawRow).join('')} />
    </svg>
  );
}

/** Draws one rectangle for each group of adjacent dark modules. */
function drawRow(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x += 1) {
    if (!row[x]) continue;
    const from = x;
    while (row[x + 1]) x += 1;
    const width = x - from + 1;
    path += `M${from} ${y}h${width}v1h-${width}z`;
  }
  return path;
}
