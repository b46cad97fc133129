/** Creates the application from its settings, database, keys, connectors and service clients. */

import type { LookupFunction } from 'node:net';
import { findConnectorDefinition } from '../connectors/index.ts';
import { type ClientGuard, createClientGuard } from './clients/client-guard.ts';
import { collectIntegrations } from './clients/integrations.ts';
import { recordSettings } from './clients/note-settings.ts';
import type { OpenDeps, OpenIntegration } from './clients/open-integration.ts';
import { type Actor, PRODUCT } from './core/actor.ts';
import type { Clock } from './core/clock.ts';
import { ConfigurationError, isConfigurationError } from './core/errors.ts';
import type { Integration } from './core/integration-settings.ts';
import type { Log } from './core/log.ts';
import { isRunning, type Owner, ownerIsGone, ownerText } from './core/owner.ts';
import { unknownClient } from './core/shared-errors.ts';
import { type CreditReader, createCreditReader } from './credits/credit-reader.ts';
import { createObservations } from './credits/lost-responses.ts';
import {
  noSpendingJournal,
  openSpendingJournal,
  type SpendingJournal,
} from './credits/statements/journal/spending-journal.ts';
import { createPaceBoard } from './credits/statements/paces.ts';
import { type OpenDatabase, openDatabase } from './database/database.ts';
import { connectionUrl } from './database/database-url.ts';
import { createFingerprint, loadFingerprintKey } from './database/encryption/fingerprint.ts';
import { findKeyFile, type KeyRing, loadKeyRing } from './database/encryption/key-ring.ts';
import { createSealer, type Sealer } from './database/encryption/sealed.ts';
import type { LeaseAttempt } from './database/leases.ts';
import { migrateToLatest, pendingMigrations } from './database/migrate.ts';
import type { Tables } from './database/tables/tables.ts';
import { createEmbeddedEngine } from './jobs/engine/embedded.ts';
import type { Engine } from './jobs/engine/engine.ts';
import { createPgBossEngine, type QueueConnection } from './jobs/engine/pg-boss.ts';
import type { SendRequest } from './outbound/exchange.ts';
import { outboundSend } from './outbound/guard.ts';
import { createPacers, type PaceOptions } from './partner/key-pace.ts';
import { beginErasureLog, noteDatabaseSeen } from './privacy/statements/begin-erasure-log.ts';
import { noErasureLog, openErasureLog, storeTag } from './privacy/statements/erasure-log.ts';
import { type ErasurePlaces, openErasurePlaces } from './privacy/statements/erasure-places.ts';
import { noWriteLog, openWriteLog, type WriteLog } from './privacy/statements/write-log.ts';
import type { SetupEnvironment } from './settings/environment.ts';
import { insecureAddresses } from './settings/insecure-http.ts';
import type { Settings } from './settings/settings.ts';
import { createStore, type Store } from './store.ts';
import { getCanonicalId, toContactId } from './sync/control/contact-id.ts';
import type { RunDeps } from './sync/control/context.ts';
import { listBegunRequests, listReadyRequests } from './sync/statements/run-requests.ts';
import { findRunning, type Running } from './sync/views/run.ts';

export type { OpenIntegration };

export interface ApplicationOptions {
  settings: Settings;
  /** The value of DONOR_SYNC_SECRET_KEY, if it is set. */
  secretKey: string | undefined;
  keyRing?: KeyRing;
  clock: Clock;
  log: Log;
  /** The identity of this process, which acquires leases. */
  owner: Owner;
  /** The user or program that the audit records. */
  actor?: Actor;
  /** The operator's environment variables for set-ups. Defaults to none. */
  setup?: SetupEnvironment;
  /** The pace of each service key. Defaults to the service's documented limits. */
  pace?: PaceOptions;
  /** The systems outside the process. Defaults to the real systems. */
  neighbours?: Partial<Neighbours>;
  /** True if this process only reads the erasure log and does not write to it. */
  restores?: boolean;
  /** False while the audit is being checked, because the check must not add entries to the audit. */
  recordsSettings?: boolean;
  backupFolders?: readonly string[];
}

/** The systems outside the process that donor-sync uses. */
export interface Neighbours {
  openDatabase: typeof openDatabase<Tables>;
  findConnectorDefinition: typeof findConnectorDefinition;
  openErasureLog: typeof openErasureLog;
  openWriteLog: typeof openWriteLog;
  openSpendingJournal: typeof openSpendingJournal;
  /** Returns the connection that the Postgres engine uses for this database URL. */
  connectQueue(url: string): QueueConnection;
  /** Sends requests to the service. */
  fetch: SendRequest;
  /** Resolves host names that users entered in a browser. */
  lookup: LookupFunction;
}

/** The application after it has been opened. */
export interface Application {
  store: Store;
  /**
   * Decides which process runs which integration. On Postgres, this is pg-boss. On other databases, the engine is
   * donor-sync's own.
   */
  engine: Engine;
  sealer: Sealer;
  integrations: ReadonlyMap<string, Integration>;
  /** The clients whose settings are unreadable, with the reason. `doctor` reports them. */
  unreadable: ReadonlyMap<string, string>;
  /**
   * Updates `integrations` with the settings that were applied or removed since the last call. Returns the new and
   * changed integrations. Work in progress keeps the old settings.
   */
  refresh(): Promise<Integration[]>;
  /**
   * The content of the settings file. Contains the database's address, the file's integrations, and some settings that
   * can also be changed elsewhere.
   */
  settings: Settings;
  allowInsecureHttp: readonly string[];
  /** The operator's environment variables for set-ups in a browser. */
  setup: SetupEnvironment;
  /** The balances of the service keys. The balance of each key is requested at most twice a minute. */
  credits: CreditReader;
  guard: ClientGuard;
  /** The file with the database's key, or null if the key comes from elsewhere. */
  keyFile: string | null;
  erasureLogs: ErasurePlaces | null;
  /** Returns the integrations with these IDs. Throws a ConfigurationError that lists the unknown IDs. */
  select(ids: readonly string[]): Integration[];
  /**
   * Returns the canonical ID of a contact from the text of a user or a program. Throws a ConfigurationError if the text
   * cannot be an ID in this CRM.
   */
  contactId(integration: Integration, text: string): Promise<string>;
  /**
   * Returns the times after which the CRM's searches certainly find a change that a webhook reported. Empty if the CRM
   * finds changes immediately.
   */
  rereadAfterMs(integration: Integration): Promise<readonly number[]>;
  /** Returns the process that is working on an integration, which can be this process. */
  findRunning(integrationId: string): Promise<Running | null>;
  /** Tries to acquire the lease of an integration for this process. */
  takeLease(integrationId: string): Promise<LeaseAttempt>;
  /** Opens an integration. The caller has to close the integration. */
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
    const fingerprint = createFingerprint(await loadFingerprintKey(database.db, sealer));
    const { db, requireInPlace } = database;
    const { actor = PRODUCT } = options;
    const engine: Engine =
      database.kind === 'postgres'
        ? createPgBossEngine({
            url: connectionUrl(settings.database),
            connect: neighbours.connectQueue,
            db,
            clock,
            log,
          })
        : createEmbeddedEngine({
            listReady: () => listReadyRequests(store.reader),
            listBegun: () => listBegunRequests(store.reader),
            clock,
            isFree: async (id) => (await findRunning(options, store, id)) === null,
          });
    const { asked } = engine;
    const erasures = openErasureLogs(options, storeTag(fingerprint));
    const stored = {
      db,
      clock,
      fingerprint,
      requireInPlace,
      actor,
      asked,
      erasures: erasures ?? noErasureLog,
      writeLog: openWrites(options),
      spendingJournal: openJournal(options),
    };
    const store: Store = createStore(stored);
    if (options.restores !== true) await keepErasureLog(store, erasures, log);
    const collected = await collectIntegrations(settings, store.reader, sealer, log);
    const { integrations } = collected;
    warnOfInsecureHttp(log, settings, integrations);
    if (options.recordsSettings !== false) await recordSettings(store, integrations.values());
    const { allowInsecureHttp } = settings;
    const sightings = createObservations();
    const { close, kind } = database;
    const own = { store, engine, sealer, sightings, close, kind, erasureLogs: erasures };
    const keyFile = options.keyRing ? null : findKeyFile(options.secretKey, settings.database);
    const parts = { ...own, ...collected, settings, allowInsecureHttp, keyFile };
    return assemble(options, parts);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function openErasureLogs(
  { settings, neighbours = {}, backupFolders = [] }: ApplicationOptions,
  store: string,
): ErasurePlaces | null {
  const { erasureLog, moreErasureLogs = [] } = settings;
  if (erasureLog === null) return null;
  const open = neighbours.openErasureLog ?? openErasureLog;
  return openErasurePlaces({
    live: erasureLog,
    named: moreErasureLogs,
    folders: backupFolders,
    store,
    open,
  });
}

/** Opens the write log. A database in memory has none. */
function openWrites({ settings, neighbours = {}, log }: ApplicationOptions): WriteLog {
  const { erasureLog, moreErasureLogs = [] } = settings;
  if (erasureLog === null) return noWriteLog;
  return (neighbours.openWriteLog ?? openWriteLog)([erasureLog, ...moreErasureLogs], log);
}

/** Opens the spending journal, if the settings have one or the database is an SQLite file. */
function openJournal({ settings, neighbours = {} }: ApplicationOptions): SpendingJournal {
  const { spendingJournal: path = null } = settings;
  if (path === null) return noSpendingJournal;
  return (neighbours.openSpendingJournal ?? openSpendingJournal)(path);
}

/** Keeps the erasure log. If donor-sync cannot write to the log, it erases nothing, but everything else works. */
async function keepErasureLog(
  store: Pick<Store, 'reader' | 'erasures'>,
  erasures: ErasurePlaces | null,
  log: Log,
): Promise<void> {
  if (erasures === null) return;
  try {
    await beginErasureLog(store);
    await noteDatabaseSeen(store);
    await erasures.bringUp();
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    log.warn(
      { code: error.code },
      'the log of erasures cannot be used: `donor-sync doctor` names it',
    );
  }
}

/**
 * Prepares the database schema. An SQLite file is migrated automatically. A shared server waits until its operator
 * migrates it.
 */
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

/**
 * At each start, warns in the log about each insecure address in the stored settings. Insecure addresses in the
 * settings file have already been refused.
 */
function warnOfInsecureHttp(
  log: Log,
  settings: Settings,
  integrations: ReadonlyMap<string, Integration>,
): void {
  const addresses = insecureAddresses(integrations.values(), settings);
  if (addresses.length === 0) return;
  log.warn(
    { addresses },
    'these addresses are plain http, where keys and tokens can be read on the way, so nothing is sent there: use https, or name the hosts in allowInsecureHttp',
  );
}

type Parts = Pick<
  Application,
  | 'store'
  | 'engine'
  | 'sealer'
  | 'settings'
  | 'integrations'
  | 'unreadable'
  | 'refresh'
  | 'allowInsecureHttp'
  | 'keyFile'
  | 'erasureLogs'
  | 'close'
> &
  Pick<RunDeps, 'sightings'> &
  Pick<OpenDatabase<Tables>, 'kind'>;

function assemble(options: ApplicationOptions, parts: Parts): Application {
  const { clock, log, settings } = options;
  // With a Postgres server, many hosts may use the same key.
  const board = parts.kind === 'postgres' ? createPaceBoard(parts.store.connection) : null;
  const pacers = createPacers({ clock, ...options.pace, board });
  const { sightings: _, kind: __, ...open } = parts;
  const findDefinition = options.neighbours?.findConnectorDefinition ?? findConnectorDefinition;
  const acquire: Application['takeLease'] = (id) => takeLease(options, parts, id);
  const { retention } = settings;
  const { setup = { serviceUrl: null, hosts: [] } } = options;
  const guard = createClientGuard(settings, setup, options.neighbours?.lookup);
  const deps: OpenDeps = {
    ...parts,
    clock,
    log,
    retention,
    erasuresWait: settings.twoPeople?.forgetByCrm ?? false,
    pacers,
    board,
    findDefinition,
    fetch: options.neighbours?.fetch ?? outboundSend('anywhere'),
    guard,
    takeLease: acquire,
  };
  const openClient: Application['open'] = async (integration, signal) => {
    // This import loads the clients, networks and warm paths. Commands that only read the database do not need them.
    const { openIntegration } = await import('./clients/open-integration.ts');
    return openIntegration(deps, integration, signal);
  };
  const closing = new AbortController();
  return {
    ...open,
    setup,
    guard,
    credits: createCreditReader({ open: openClient, clock, log, stopping: closing.signal }),
    async close() {
      closing.abort();
      try {
        await parts.engine.close();
      } finally {
        await parts.close();
      }
    },
    select: (ids) => selectIntegrations(parts.integrations, ids),
    async contactId({ id, crm }, text) {
      return toContactId(getCanonicalId(await findDefinition(crm.kind)), id, text);
    },
    async rereadAfterMs({ crm }) {
      return (await findDefinition(crm.kind)).rereadAfterMs ?? [];
    },
    findRunning: (id) => findRunning(options, parts.store, id),
    takeLease: acquire,
    open: openClient,
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
    const next = `The settings have: ${names}.`;
    throw unknownClient(id, { known: known.keys(), next, refusal: 'invalid' });
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
