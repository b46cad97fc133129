/**
 * Lets Node load the pages, whose JSX syntax it does not support. Tests do not need this, because vitest does it for
 * them.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

registerHooks({
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.tsx')) return next(url, context);
    const path = fileURLToPath(url);
    const { code, errors } = transformSync(path, readFileSync(path, 'utf8'), {
      jsx: { runtime: 'automatic', importSource: 'hono/jsx' },
    });
    if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message)}`);
    return { format: 'module', source: code, shortCircuit: true };
  },
});
