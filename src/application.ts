/**
 * The product put together: settings, store, keys, connectors and partner clients. The command
 * line, the HTTP service and the schedules sit on top of it and make none of these themselves.
 */
import { findConnectorDefinition } from '../connectors/index.ts';
import { collectIntegrations } from './application/integrations.ts';
import { noteSettings } from './application/note-settings.ts';
import type { OpenDeps, OpenIntegration } from './application/open-integration.ts';
import { insecureAddresses } from './config/insecure-http.ts';
import type { Settings } from './config.ts';
import { type Actor, PRODUCT } from './core/actor.ts';
import type { Clock } from './core/clock.ts';
import { ConfigurationError } from './core/errors.ts';
import type { Integration } from './core/integration.ts';
import type { Log } from './core/log.ts';
import { didYouMean } from './core/near-miss.ts';
import { isRunning, type Owner, ownerIsGone, ownerText } from './core/owner.ts';
import { createSightings } from './credits/loss.ts';
import { createEmbeddedEngine } from './engine/embedded.ts';
import type { Engine } from './engine/engine.ts';
import { createPgBossEngine, type QueueConnection } from './engine/pg-boss.ts';
import { createPacers, type PaceOptions } from './partner/pacer.ts';
import { canonicalIdOf, contactIdOf } from './run/contact-id.ts';
import type { RunDeps } from './run/context.ts';
import { type OpenDatabase, openDatabase } from './store/engine/database.ts';
import type { LeaseAttempt } from './store/engine/leases.ts';
import { migrateToLatest, pendingMigrations } from './store/engine/migrate.ts';
import type { Tables } from './store/engine/tables.ts';
import { noErasureLog, openErasureLog } from './store/erasure/erasure-log.ts';
import { bindSeals, markSealsBound, type SealBinding } from './store/secrets/bind-seals.ts';
import { createFingerprint, loadFingerprintKey } from './store/secrets/fingerprint.ts';
import { type KeyRing, loadKeyRing } from './store/secrets/key-ring.ts';
import { createSealer, createUnboundOpener, type Sealer } from './store/secrets/sealed.ts';
import { createStore, type Store } from './store/store.ts';
import { findRunning, type Running } from './views/run.ts';

export type { OpenIntegration };

export interface ApplicationOptions {
  settings: Settings;
  /** The value of DONOR_SYNC_SECRET_KEY, if it is set. */
  secretKey: string | undefined;
  /** The keys themselves, for a database that lies elsewhere than its key. */
  keyRing?: KeyRing;
  clock: Clock;
  log: Log;
  /** This process, as the owner of leases. */
  owner: Owner;
  /** Who asks, for the audit. */
  actor?: Actor;
  /** The pace of each partner key; by default the documented limits. */
  pace?: PaceOptions;
  /** How its neighbours are reached; by default the real ones. */
  neighbours?: Partial<Neighbours>;
}

/** What the product works with outside its process. */
export interface Neighbours {
  openDatabase: typeof openDatabase<Tables>;
  findConnectorDefinition: typeof findConnectorDefinition;
  openErasureLog: typeof openErasureLog;
  /** How the engine over Postgres reaches the database with this URL. */
  connectQueue(url: string): QueueConnection;
  /** Brings requests to the service. */
  fetch: typeof globalThis.fetch;
}

/** The product, open. */
export interface Application {
  store: Store;
  /** What decides which process runs which integration: one of its own, or pg-boss over Postgres. */
  engine: Engine;
  sealer: Sealer;
  /** The integrations of the settings file and those applied to the database, by id. */
  integrations: ReadonlyMap<string, Integration>;
  /**
   * Brings `integrations` in line with what was applied or removed since, and says which are new or have
   * changed. What has begun with one goes on with it.
   */
  refresh(): Promise<Integration[]>;
  /** What its file says: where the database is, what may be set elsewhere, and which integrations stand in it. */
  settings: Settings;
  /** Hosts to which the settings allow plain http. */
  allowInsecureHttp: readonly string[];
  /** The integrations with these ids; a ConfigurationError names the ones that are unknown. */
  select(ids: readonly string[]): Integration[];
  /**
   * The id of a contact in the one form that is used inside, from what a person or a program wrote;
   * a ConfigurationError if no contact of that CRM can have it.
   */
  contactId(integration: Integration, text: string): Promise<string>;
  /** How long after a webhook its CRM is to be read again; empty if reading is never behind. */
  rereadAfterMs(integration: Integration): Promise<readonly number[]>;
  /** Who is at work on an integration, in this process or another. */
  findRunning(integrationId: string): Promise<Running | null>;
  /** Tries to get the right to work on an integration, for this process. */
  takeLease(integrationId: string): Promise<LeaseAttempt>;
  /** Makes the clients of an integration; the caller closes it. */
  open(integration: Integration, signal: AbortSignal): Promise<OpenIntegration>;
  close(): Promise<void>;
}

/** Opens the database, brings its schema up to date, and reads the keys. */
export async function openApplication(options: ApplicationOptions): Promise<Application> {
  const { settings, clock, log, neighbours = {} } = options;
  const keyRing = options.keyRing ?? (await loadKeyRing(options.secretKey, settings.database));
  const open = neighbours.openDatabase ?? openDatabase<Tables>;
  const database = await open(settings.database, { log });
  try {
    await prepareSchema(database);
    const sealer = createSealer(keyRing);
    await bindOlderSeals(database, { sealer, unbound: createUnboundOpener(keyRing) }, log);
    const fingerprint = createFingerprint(await loadFingerprintKey(database.db, sealer));
    await markSealsBound(database.db, { sealer });
    const { db, requireInPlace } = database;
    const { actor = PRODUCT } = options;
    const engine: Engine =
      database.kind === 'postgres'
        ? createPgBossEngine({
            ...{ url: settings.database, connect: neighbours.connectQueue },
            ...{ db, clock, log },
          })
        : createEmbeddedEngine({
            listReady: () => store.runRequests.listReady(),
            listBegun: () => store.runRequests.listBegun(),
            clock,
            isFree: async (id) => (await findRunning(options, store, id)) === null,
          });
    const { asked } = engine;
    const openLog = neighbours.openErasureLog ?? openErasureLog;
    const erasures = settings.erasureLog === null ? noErasureLog : openLog(settings.erasureLog);
    const stored = { db, clock, fingerprint, requireInPlace, actor, asked, erasures };
    const store: Store = createStore(stored);
    await store.forget.beginErasureLog();
    const { integrations, refresh } = await collectIntegrations(settings, store, sealer);
    warnOfInsecureHttp(log, settings, integrations);
    await noteSettings(store, integrations.values());
    const { allowInsecureHttp } = settings;
    const sightings = createSightings();
    const { close, kind } = database;
    const own = { store, engine, sealer, sightings, close, kind };
    const parts = { ...own, settings, integrations, refresh, allowInsecureHttp };
    return assemble(options, parts);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A file of one's own is brought up to date by itself; a shared server waits for its operator. */
async function prepareSchema(database: OpenDatabase<Tables>): Promise<void> {
  if (database.kind === 'sqlite') {
    await migrateToLatest(database.db);
    return;
  }
  const pending = await pendingMigrations(database.db);
  if (pending.length === 0) return;
  throw new ConfigurationError(
    `The database lacks ${pending.length} steps of the schema (${pending.join(', ')}). Run \`donor-sync migrate\` once, then try again.`,
    { code: 'schema_behind', details: { pending } },
  );
}

/** Once after an update; what stays unbound is not opened any more. */
async function bindOlderSeals(
  { db }: OpenDatabase<Tables>,
  seals: SealBinding,
  log: Log,
): Promise<void> {
  const { bound, missingKeys, damaged } = await bindSeals(db, seals);
  if (bound > 0) log.info({ bound }, 'secrets of an older version were bound to their rows');
  if (missingKeys.length + damaged === 0) return;
  log.warn(
    { missingKeys, damaged },
    'some secrets of an older version cannot be opened; those of missing keys can, once the keys are in DONOR_SYNC_SECRET_KEY',
  );
}

/** Once a start. The next version refuses such addresses. */
function warnOfInsecureHttp(
  log: Log,
  settings: Settings,
  integrations: ReadonlyMap<string, Integration>,
): void {
  const addresses = insecureAddresses(integrations.values(), settings);
  if (addresses.length === 0) return;
  log.warn(
    { addresses },
    'keys or tokens go over plain http, where they can be read on the way: use https, or name the hosts in allowInsecureHttp; the next version refuses this',
  );
}

type Parts = Pick<
  Application,
  | 'store'
  | 'engine'
  | 'sealer'
  | 'settings'
  | 'integrations'
  | 'refresh'
  | 'allowInsecureHttp'
  | 'close'
> &
  Pick<RunDeps, 'sightings'> &
  Pick<OpenDatabase<Tables>, 'kind'>;

function assemble(options: ApplicationOptions, parts: Parts): Application {
  const { clock, log, settings } = options;
  // On a server many hosts may use one key.
  const board = parts.kind === 'postgres' ? parts.store.paces : null;
  const pacers = createPacers({ clock, ...options.pace, board });
  const { sightings: _, kind: __, ...open } = parts;
  const definitionOf = options.neighbours?.findConnectorDefinition ?? findConnectorDefinition;
  const acquire: Application['takeLease'] = (id) => takeLease(options, parts, id);
  const { retention } = settings;
  const deps: OpenDeps = {
    ...parts,
    clock,
    log,
    retention,
    pacers,
    board,
    definitionOf,
    fetch: options.neighbours?.fetch ?? globalThis.fetch,
    takeLease: acquire,
  };
  return {
    ...open,
    async close() {
      try {
        await parts.engine.close();
      } finally {
        await parts.close();
      }
    },
    select: (ids) => selectIntegrations(parts.integrations, ids),
    async contactId({ id, crm }, text) {
      return contactIdOf(canonicalIdOf(await definitionOf(crm.kind)), id, text);
    },
    async rereadAfterMs({ crm }) {
      return (await definitionOf(crm.kind)).rereadAfterMs ?? [];
    },
    findRunning: (id) => findRunning(options, parts.store, id),
    takeLease: acquire,
    async open(integration, signal) {
      // Clients, networks and warm paths: a command that only looks into the store does without.
      const { openIntegration } = await import('./application/open-integration.ts');
      return openIntegration(deps, integration, signal);
    },
  };
}

function selectIntegrations(
  known: ReadonlyMap<string, Integration>,
  ids: readonly string[],
): Integration[] {
  return [...new Set(ids)].map((id) => {
    const integration = known.get(id);
    if (integration) return integration;
    const names = [...known.keys()].join(', ') || 'none';
    throw new ConfigurationError(
      `There is no integration "${id}"${didYouMean(id, known.keys()) || '.'} The settings have: ${names}.`,
      { code: 'integration_unknown', details: { id, known: [...known.keys()] } },
    );
  });
}

function takeLease(
  { owner }: Pick<ApplicationOptions, 'owner'>,
  { store }: Pick<Parts, 'store'>,
  name: string,
): Promise<LeaseAttempt> {
  return store.leases.acquire(name, ownerText(owner), (other) =>
    ownerIsGone(other, owner, isRunning),
  );
}
