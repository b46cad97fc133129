/**
 * When the sources run directly, this file makes Node load `sender-stubs.ts` in the place of all modules that could
 * send requests. Import this file before importing one of the libraries. The hook must be installed before a library
 * imports its own modules. The bundle does not contain this file, because it contains the stubs themselves
 * (`scripts/without-senders.ts`).
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
