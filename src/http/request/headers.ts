import { createMiddleware } from 'hono/factory';
import { secureHeaders } from 'hono/secure-headers';
import type { HttpEnv } from './context.ts';

/**
 * The headers of every answer. Pages load their own styles and scripts from us and nothing from
 * anywhere else; nothing runs that stands inside a page; no other site can show our pages inside its own.
 */
export function protectAnswers(publicUrl: string) {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: ["'self'"],
      scriptSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // Without any referrer browsers would hide the origin of our own forms from us as well.
    referrerPolicy: 'same-origin',
    // Over plain http browsers ignore it, and on this machine it would only be in the way.
    strictTransportSecurity: publicUrl.startsWith('https:') && 'max-age=31536000',
  });
}

/** Answers are for one person and are not kept on the way, unless a route says otherwise. */
export const forbidCaching = createMiddleware<HttpEnv>(async (c, next) => {
  await next();
  if (!c.res.headers.has('cache-control')) c.header('Cache-Control', 'no-store');
});
