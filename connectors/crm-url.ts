import { z } from 'zod';

/** The address of a CRM: https, since tokens travel there; plain http only within this machine. */
export const crmUrlSchema = z
  .url({ protocol: /^https?$/ })
  .refine(isConfidential, 'must be https, or a token could be read on the way');

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** True also of what is no address at all: the schema has another message for that. */
function isConfidential(url: string): boolean {
  if (!URL.canParse(url)) return true;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK.test(hostname);
}

/** An address to which a path can be added. */
export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
