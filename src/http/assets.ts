/** The files that browsers load. They lie in `assets/` and are read once, when they are first needed. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { html } from 'hono/html';
import { ownFile } from '../core/own-file.ts';
import { plainText } from '../core/printable.ts';

export interface Asset {
  /** Without the query. */
  path: string;
  /** With a fingerprint of the content, so that a browser may keep it for good. */
  href: string;
  contentType: string;
  body: string;
}

/** What the status page and the pages of runs load. */
export interface PageAssets {
  styles: Asset;
  script: Asset;
  /** The mark of the product: two arcs that follow each other round a heart of the matter. */
  icon: Asset;
}

const FINGERPRINT_LENGTH = 12;

let pageAssets: PageAssets | undefined;
let docsStyles: string | undefined;

/** The assets of the pages, each under an address that changes with its content. */
export function readPageAssets(): PageAssets {
  pageAssets ??= {
    styles: asset('/assets/status.css', 'text/css; charset=utf-8', 'status-page.css'),
    script: asset('/assets/status.js', 'text/javascript; charset=utf-8', 'status-page.js'),
    icon: asset('/assets/icon.svg', 'image/svg+xml', 'icon.svg'),
  };
  return pageAssets;
}

/** The styles of the page of the API, and of the notices for a person who comes back from a CRM. */
export function readDocsStyles(): string {
  docsStyles ??= readAsset('docs.css');
  return docsStyles;
}

function asset(path: string, contentType: string, file: string): Asset {
  const body = readAsset(file);
  const fingerprint = createHash('sha256').update(body).digest('hex').slice(0, FINGERPRINT_LENGTH);
  return { path, href: `${path}?v=${fingerprint}`, contentType, body };
}

function readAsset(file: string): string {
  return readFileSync(ownFile(`src/http/assets/${file}`), 'utf8');
}

/** A page as it goes out: names and texts in it may come from a CRM, and nothing in them acts. */
export async function pageText(page: ReturnType<typeof html>): Promise<string> {
  return plainText(String(await page));
}
