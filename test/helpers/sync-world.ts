import { randomUUID } from 'node:crypto';
import type { Connector } from '../../connectors/contract.ts';
import { createMemoryConnector, memoryDefaultFields } from '../../connectors/memory/connector.ts';
import { createMemoryCrm, type MemoryCrm } from '../../connectors/memory/crm.ts';
import {
  type PartnerSandbox,
  type PartnerSandboxOptions,
  startPartnerSandbox,
} from '../../sandbox/partner/index.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { type Integration, integrationSchema } from '../../src/core/integration-settings.ts';
import { silentLog } from '../../src/core/log.ts';
import type { Retention } from '../../src/core/retention.ts';
import type { RunReport } from '../../src/core/run.ts';
import { createObservations } from '../../src/credits/lost-responses.ts';
import {
  createFingerprint,
  loadFingerprintKey,
} from '../../src/database/encryption/fingerprint.ts';
import { generateKey, parseKeyRing } from '../../src/database/encryption/key-ring.ts';
import { createSealer, type Sealer } from '../../src/database/encryption/sealed.ts';
import { migrateToLatest } from '../../src/database/migrate.ts';
import { MIGRATIONS } from '../../src/database/migrations.ts';
import { createPartnerClient, type PartnerClient } from '../../src/partner/client.ts';
import { createPacer } from '../../src/partner/key-pace.ts';
import { createStore, type Store } from '../../src/store.ts';
import type { RunDeps, SyncDeps } from '../../src/sync/control/context.ts';
import { openPinned } from '../../src/sync/control/crm-account.ts';
import { type RunRequest, runSync } from '../../src/sync/run.ts';
import { controlService, type ServiceControl } from './service-control.ts';
import { openSqliteMigrated, type TestDatabase } from './test-databases.ts';

/** The dependencies of a sync that uses the CRM in memory. */
export type WorldDeps = RunDeps & SyncDeps;

/** A CRM in memory, a service over HTTP and a real store, ready to sync. */
export interface SyncWorld extends Omit<ServiceControl, 'people'> {
  service: PartnerSandbox;
  crm: MemoryCrm;
  database: TestDatabase;
  store: Store;
  sealer: Sealer;
  integration: Integration;
  /** Runs a sync until it ends. */
  sync(request?: Partial<RunRequest>): Promise<RunReport>;
  /** Returns the dependencies of a sync, so that a test can run parts of a sync separately. */
  deps(signal?: AbortSignal, of?: Integration): WorldDeps;
  /** Adds people from the sandbox's contact list to the CRM. Skips the first `after` people. Returns the IDs. */
  addPeople(count: number, after?: number): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Settings for tests about submissions. With these settings, all contacts that are due are submitted at the same time.
 */
export const WITHOUT_TRIAL = { guards: { trial: { size: 0 } } };

/** The options of a test. The settings that a test does not set are fast and allow everything. */
export interface SyncWorldOptions {
  service?: PartnerSandboxOptions;
  integration?: Record<string, unknown>;
  database?: TestDatabase;
  /** The clock of all parts except the service. The default is the machine's clock. */
  clock?: Clock;
  connector?: (crm: MemoryCrm, signal: AbortSignal) => Connector;
  /** Opens the CRM for a sync. The default is the CRM in memory. */
  open?: (signal: AbortSignal) => Promise<Connector>;
  /** The number of days for which history is kept. By default, the history is never deleted. */
  retention?: Partial<Retention>;
  /** By default, every string is canonical. */
  canonicalId?: (text: string) => string | null;
  /** Returns other forms of a contact's ID. By default, there are no other forms. */
  otherForms?: (crmId: string) => readonly string[];
  /** The maximum number of people in a submission. The default is the service's maximum. */
  personsPerSubmission?: number;
  /** Returns a changed client for the service. The sync uses the changed client. */
  partner?: (client: PartnerClient) => PartnerClient;
}

export async function createSyncWorld(options: SyncWorldOptions = {}): Promise<SyncWorld> {
  const service = await startPartnerSandbox({
    donors: 2_000,
    rate: 0,
    jobTimeMs: 0,
    ...options.service,
  });
  const database = options.database ?? (await openSqliteMigrated());
  await migrateToLatest(database.db, MIGRATIONS);
  const sealer = createSealer(parseKeyRing(generateKey('test')));
  const fingerprint = createFingerprint(await loadFingerprintKey(database.db, sealer));
  const { clock = systemClock } = options;
  const { db, requireInPlace } = database;
  const store = createStore({ db, clock, fingerprint, requireInPlace });
  const crm = createMemoryCrm({ fields: memoryDefaultFields.map(({ to }) => to) });
  const integration = integrationSchema.parse({
    id: 'riverside',
    partner: { baseUrl: service.baseUrl, apiKey: service.apiKey },
    crm: { kind: 'memory', name: 'test' },
    settleAfterMs: 200,
    ...options.integration,
  });
  const owner = randomUUID();
  const sightings = createObservations();

  function deps(
    signal: AbortSignal = new AbortController().signal,
    of: Integration = integration,
  ): WorldDeps {
    const { baseUrl, apiKey } = of.partner;
    const client = createPartnerClient({
      baseUrl,
      apiKey,
      clock,
      log: silentLog,
      pacer: createPacer({ clock, ratePerSecond: null }),
    });
    const connector = (options.connector ?? createMemoryConnector)(crm, signal);
    return {
      store,
      connector,
      openConnector: (lease) =>
        openPinned(store, of, lease, async () => {
          if (options.open !== undefined) return options.open(signal);
          await crm.enter('open');
          return connector;
        }),
      partner: options.partner?.(client) ?? client,
      sealer,
      clock,
      sightings,
      ...(options.personsPerSubmission === undefined
        ? {}
        : { personsPerSubmission: options.personsPerSubmission }),
      retention: { runRows: 90, ...options.retention },
      log: silentLog,
      newId: randomUUID,
      takeLease: (id) => store.leases.acquire(id, owner, () => false),
      canonicalId: options.canonicalId ?? ((text) => text),
      otherForms: options.otherForms ?? (() => []),
    };
  }

  const control = controlService(service);
  const { spent, spentInAll, requests, putFaults, issueKey } = control;
  return {
    spent,
    spentInAll,
    requests,
    putFaults,
    issueKey,
    service,
    crm,
    database,
    store,
    sealer,
    integration,
    deps,
    sync(request = {}) {
      const signal = request.signal ?? new AbortController().signal;
      const of = request.integration ?? integration;
      return runSync(
        deps(signal, of),
        {
          integration: of,
          mappings: of.fields ?? memoryDefaultFields,
          partnerKey: fingerprint('partner_key', of.partner.apiKey),
          trigger: 'manual',
          full: false,
          only: null,
          ...request,
          signal,
        },
        { calls: () => ({ partner: 0, crm: 0, throttled: 0 }) },
      );
    },
    async addPeople(count, after = 0) {
      const people = await control.people(after + count);
      return people.slice(after).map((person) => crm.addContact(person));
    },
    async close() {
      await service.close();
      if (!options.database) await database.close();
    },
  };
}
