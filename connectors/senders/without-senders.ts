/**
 * Loads `sender-stubs.ts` in place of everything with which the vendors' libraries could send, if the sources run
 * directly. Import this before a library, because the library's own modules are resolved when it runs. This file is not
 * part of the bundle, which contains the stubs themselves (`scripts/without-senders.ts`).
 */
import { registerHooks } from 'node:module';
import { stubCode, stubFor } from './sender-stubs.ts';

const SCHEME = 'without-senders:';

registerHooks({
  resolve(imported, context, next) {
    const name = stubFor(imported, context.parentURL);
    if (name === null) return next(imported, context);
    return { url: SCHEME + name, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(SCHEME)) return next(url, context);
    const source = stubCode(url.slice(SCHEME.length));
    return { format: 'module', source, shortCircuit: true };
  },
});
