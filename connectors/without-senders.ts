/**
 * Where the sources run as they are, Node loads `sender-stubs.ts` in place of what the vendors' libraries could send by. To
 * be imported before a library, whose own modules are resolved when it runs. It is left out of the bundle, which holds
 * the stubs themselves (`scripts/without-senders.ts`).
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
