/** The options with which tests open connectors. */
import { systemClock } from '../../src/core/clock.ts';
import { silentLog } from '../../src/core/log.ts';
import type {
  ConnectorDefinition,
  ConnectorDeps,
  ConnectorOptions,
  ContactsSettings,
} from '../contract.ts';

/** The dependencies of a connector in a test: the machine's clock, no log, no secrets. */
export function testDeps(deps: Partial<ConnectorDeps> = {}): ConnectorDeps {
  return {
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    secrets: { read: async () => null, write: async () => {} },
    onCall() {},
    ...deps,
  };
}

/** Options for `open` and `check` of a definition, from settings as written in the file. */
export function testOptions<Settings>(
  { settingsSchema }: Pick<ConnectorDefinition<Settings>, 'settingsSchema'>,
  settings: unknown,
  { contacts, ...deps }: Partial<ConnectorDeps> & { contacts?: Partial<ContactsSettings> } = {},
): ConnectorOptions<Settings> {
  return {
    settings: settingsSchema.parse(settings),
    contacts: { filter: null, optOutField: null, ...contacts },
    deps: testDeps(deps),
  };
}
