import { z } from 'zod';
import { civicrmConnector } from '../../../connectors/civicrm/connector.ts';
import type { HarnessOptions, SeedContact } from '../../../connectors/testing/conformance.ts';
import { testOptions } from '../../../connectors/testing/options.ts';
import { type CivicrmSandboxOptions, startCivicrmSandbox } from '../../../sandbox/civicrm/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { sandboxControl } from '../crm-sandbox.ts';

/** A site without people, and the actions of its users. */
export type Site = Awaited<ReturnType<typeof openSite>>;

/** Returns a clock whose waits end immediately, so a test of retries takes no time. */
export function hastyClock() {
  let sleptMs = 0;
  return {
    now: () => systemClock.now() + sleptMs,
    monotonicMs: () => systemClock.monotonicMs() + sleptMs,
    async sleep(ms: number) {
      sleptMs += ms;
    },
  };
}

const addedSchema = z.object({ contacts: z.array(z.object({ id: z.number() })) });

export async function openSite(options: CivicrmSandboxOptions = {}) {
  const sandbox = await startCivicrmSandbox({ contacts: 0, donors: 10, ...options });
  const { control } = sandboxControl(sandbox.rootUrl);
  const settings = {
    kind: 'civicrm',
    url: sandbox.baseUrl,
    auth: { type: 'apiKey', apiKey: sandbox.apiKey },
    requestsPerSecond: 0,
    pageSize: 100,
  };
  await control('POST', 'custom-group', { title: 'Test', name: 'Test', extends: 'Individual' });

  return {
    sandbox,
    settings,
    control,
    open: (choices: HarnessOptions = {}, more: object = {}) =>
      civicrmConnector.open(
        testOptions(
          civicrmConnector,
          { ...settings, ...more },
          { clock: hastyClock(), ...choices },
        ),
      ),
    check: (choices: HarnessOptions = {}, more: object = {}) =>
      civicrmConnector.check(
        testOptions(
          civicrmConnector,
          { ...settings, ...more },
          { clock: hastyClock(), ...choices },
        ),
      ),
    async addContacts(contacts: readonly SeedContact[]): Promise<string[]> {
      const added = await control('POST', 'contacts', { contacts: contacts.map(toOrder) });
      return addedSchema.parse(added).contacts.map(({ id }) => String(id));
    },
    editContact: (id: string, changes: Partial<SeedContact>) =>
      control('POST', 'edit', { action: 'update', id: Number(id), ...toOrder(changes) }),
    trash: (id: string) => control('POST', 'edit', { action: 'trash', id: Number(id) }),
    merge: (loser: string, winner: string) =>
      control('POST', 'edit', { action: 'merge', loser: Number(loser), winner: Number(winner) }),
    setValue: (id: string, field: string, value: string | boolean | readonly string[] | null) =>
      control('POST', 'edit', { action: 'update', id: Number(id), values: { [field]: value } }),
    hide: (ids: readonly string[], access: 'hidden' | 'visible' = 'hidden') =>
      control('PUT', 'record-access', { ids: ids.map(Number), access }),
    withdraw: (...without: string[]) => control('PUT', 'permissions', { without }),
    vary: (variants: object) => control('PUT', 'variants', variants),
    async record(id: string): Promise<Record<string, unknown>> {
      return z.record(z.string(), z.unknown()).parse(await control('GET', `record/${id}`));
    },
    addField: (name: string, field: object = {}) =>
      control('POST', 'custom-field', {
        'custom_group_id.name': 'Test',
        ...{ name, label: name, data_type: 'String', html_type: 'Text' },
        ...field,
      }),
    addCustomGroup: (name: string, group: object) =>
      control('POST', 'custom-group', { title: name, name, ...group }),
    async addGroup(title: string, members: readonly string[], search: unknown = null) {
      await control('POST', 'group', { title, members: members.map(Number), search });
    },
    putFaults: (rules: readonly object[]) => control('PUT', 'faults', rules),
    async countRequests(): Promise<number> {
      return z.object({ total: z.number() }).parse(await control('GET', 'requests')).total;
    },
    close: sandbox.close,
  };
}

function toOrder({ firstName, lastName, addresses, employers }: Partial<SeedContact>) {
  const [street] = addresses ?? [];
  return {
    values: {
      ...(firstName === undefined ? {} : { first_name: firstName }),
      ...(lastName === undefined ? {} : { last_name: lastName }),
      ...(employers === undefined ? {} : { organization_name: employers[0] ?? null }),
    },
    ...(street === undefined ? {} : { address: { street_address: street } }),
  };
}
