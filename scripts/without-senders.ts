/**
 * The plugin that puts the senders' stubs into the bundle. It omits the hook that loads the stubs if the program runs
 * from its sources.
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
