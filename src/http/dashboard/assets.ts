/** The files that the pages load, each under an address that changes with its content. */
import { createHash } from 'node:crypto';
import { icon } from './icon.ts';
import { script } from './script.ts';
import { styles } from './styles.ts';

export interface Asset {
  /** Without the query. */
  path: string;
  /** With a fingerprint of the content, so that a browser may keep it for good. */
  href: string;
  contentType: string;
  body: string;
}

const FINGERPRINT_LENGTH = 12;

export const ASSETS = {
  styles: asset('/assets/status.css', 'text/css; charset=utf-8', styles),
  script: asset('/assets/status.js', 'text/javascript; charset=utf-8', script),
  icon: asset('/assets/icon.svg', 'image/svg+xml', icon),
} as const satisfies Record<string, Asset>;

function asset(path: string, contentType: string, body: string): Asset {
  const fingerprint = createHash('sha256').update(body).digest('hex').slice(0, FINGERPRINT_LENGTH);
  return { path, href: `${path}?v=${fingerprint}`, contentType, body };
}
