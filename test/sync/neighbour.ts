import { createMemoryConnector, memoryDefaultFields } from '../../connectors/memory/connector.ts';
import { createMemoryCrm, type MemoryCrm } from '../../connectors/memory/crm.ts';
import { type Integration, integrationSchema } from '../../src/core/integration-settings.ts';
import type { RunReport } from '../../src/core/run.ts';
import { openPinned } from '../../src/sync/control/crm-account.ts';
import { type Preview, previewRun } from '../../src/sync/preview.ts';
import { type RunRequest, runSync } from '../../src/sync/run.ts';
import type { SyncWorld, WorldDeps } from '../helpers/sync-world.ts';

/** A second client with a separate CRM, whose database and service key are those of the first client. */
export interface Neighbour {
  integration: Integration;
  crm: MemoryCrm;
  deps(signal?: AbortSignal): WorldDeps;
  sync(request?: Partial<RunRequest>): Promise<RunReport>;
  preview(): Promise<Preview>;
}

/** `options` are the second client's settings, except its ID, key and CRM. */
export function createNeighbour(
  world: SyncWorld,
  { partner, ...options }: { partner?: { shareProfiles: boolean } } & Record<string, unknown> = {},
): Neighbour {
  const { baseUrl, apiKey } = world.service;
  const crm = createMemoryCrm({ fields: memoryDefaultFields.map(({ to }) => to) });
  const integration = integrationSchema.parse({
    id: 'lakeside',
    partner: { baseUrl, apiKey, ...partner },
    crm: { kind: 'memory', name: 'neighbour' },
    settleAfterMs: world.integration.settleAfterMs,
    ...options,
  });
  const asked = {
    integration,
    mappings: memoryDefaultFields,
    partnerKey: world.store.fingerprint('partner_key', apiKey),
    full: false,
    only: null,
  };
  const deps = (signal = new AbortController().signal): WorldDeps => {
    const connector = createMemoryConnector(crm, signal);
    return {
      ...world.deps(signal, integration),
      connector,
      openConnector: (lease) => openPinned(world.store, integration, lease, async () => connector),
    };
  };
  return {
    integration,
    crm,
    deps,
    sync(request = {}) {
      const signal = request.signal ?? new AbortController().signal;
      return runSync(
        deps(signal),
        { ...asked, trigger: 'manual', ...request, signal },
        { calls: () => ({ partner: 0, crm: 0, throttled: 0 }) },
      );
    },
    preview: () => previewRun(deps(), asked),
  };
}

/** Copies one CRM's people into a different CRM, as another user would have typed them. */
export function copyPeople(from: MemoryCrm, to: MemoryCrm): string[] {
  return [...from.records.values()].map(({ contact }) =>
    to.addContact({
      id: `copy-of-${contact.id}`,
      firstName: contact.firstName && ` ${contact.firstName.toUpperCase()}`,
      lastName: contact.lastName?.toUpperCase() ?? null,
      addresses: contact.addresses.map((address) => address.replaceAll(',', ' ')),
      employers: ['', ...contact.employers.map((employer) => `${employer}.`)],
    }),
  );
}
