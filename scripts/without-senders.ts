/**
 * A bundler plugin that includes the stubs in the bundle. The stubs replace the functions with which vendors' libraries
 * send requests. The plugin leaves out the hook that loads the stubs when the sources run directly.
 */
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { stubCode, stubFor } from '../connectors/senders/sender-stubs.ts';

const PREFIX = '\0without-senders:';
const NOTHING = '\0without-senders';

const HOOK = join(import.meta.dirname, '../connectors/senders/without-senders.ts');

export function withoutSenders(): Plugin {
  return {
    name: 'without-senders',
    resolveId(imported, importer) {
      if (importer !== undefined && join(importer, '..', imported) === HOOK) return NOTHING;
      const name = stubFor(imported, importer);
      return name === null ? null : PREFIX + name;
    },
    load(id) {
      if (id === NOTHING) return '';
      return id.startsWith(PREFIX) ? stubCode(id.slice(PREFIX.length)) : null;
    },
  };
}
