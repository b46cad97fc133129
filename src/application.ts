/**
 * The product put together: settings, store, keys, connectors and partner clients. The command
 * line, the HTTP service and the schedules sit on top of it and make none of these themselves.
 */
import type {
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
  Finding,
} from '../connectors/contract.ts';
import { findConnectorDefinition } from '../connectors/index.ts';
import { connectorSecrets } from './application/connector-secrets.ts';
import { crmSettingsOf } from './application/crm-settings.ts';
import { insecureAddresses } from './config/insecure-http.ts';
import type { Settings } from './config.ts';
import type { Clock } from './core/clock.ts';
import { ConfigurationError } from './core/errors.ts';
import type { FieldMapping } from './core/field-map.ts';
import { type Integration, integrationSchema } from './core/integration.ts';
import type { Log } from './core/log.ts';
import { didYouMean } from './core/near-miss.ts';
import { newId } from './core/new-id.ts';
import { isRunning, type Owner, ownerIsGone, ownerText } from './core/owner.ts';
import { createSightings } from './credits/loss.ts';
import { INSIGHT_STAGES } from './insights/write-warm-paths.ts';
import { NETWORK_STAGES } from './networks/mirror-networks.ts';
import { createPartnerClient, type PartnerClient } from './partner/client.ts';
import { createPacers, type PaceOptions, type Pacers } from './partner/pacer.ts';
import { type CanonicalId, contactIdOf } from './run/contact-id.ts';
import type { RunDeps } from './run/context.ts';
import { openPinned } from './run/crm-account.ts';
import type { Stages } from './run/stage.ts';
import { type OpenDatabase, openDatabase } from './store/engine/database.ts';
import type { LeaseAttempt } from './store/engine/leases.ts';
import { migrateToLatest, pendingMigrations } from './store/engine/migrate.ts';
import type { Tables } from './store/engine/tables.ts';
import { bindSeals, markSealsBound, type SealBinding } from './store/secrets/bind-seals.ts';
import { createFingerprint, loadFingerprintKey } from './store/secrets/fingerprint.ts';
import { loadKeyRing } from './store/secrets/key-ring.ts';
import { settingsPlace } from './store/secrets/seal-places.ts';
import { createSealer, createUnboundOpener, type Sealer } from './store/secrets/sealed.ts';
import { createStore, type Store } from './store/store.ts';
import { findRunning, type RunFacts, type Running } from './views/run.ts';

export interface ApplicationOptions {
  settings: Settings;
  /** The value of DONOR_SYNC_SECRET_KEY, if it is set. */
  secretKey: string | undefined;
  clock: Clock;
  log: Log;
  /** This process, as the owner of leases. */
  owner: Owner;
  /** The pace of each partner key; by default the documented limits. */
  pace?: PaceOptions;
  /** How its neighbours are reached; by default the real ones. */
  neighbours?: Partial<Neighbours>;
}

/** What the product works with outside its process. */
export interface Neighbours {
  openDatabase: typeof openDatabase<Tables>;
  findConnectorDefinition: typeof findConnectorDefinition;
  /** Brings requests to the service. */
  fetch: typeof globalThis.fetch;
}

/** The product, open. */
export interface Application {
  store: Store;
  sealer: Sealer;
  /** The integrations of the settings file and those applied to the database, by id. */
  integrations: ReadonlyMap<string, Integration>;
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

/** An integration with its clients, for the length of one run or command. */
export interface OpenIntegration {
  integration: Integration;
  partner: PartnerClient;
  /** The field map in force. */
  mappings: readonly FieldMapping[];
  /** Fingerprint of the partner key. */
  partnerKey: string;
  /** What the sync needs; `openCrm` opens the CRM with it. */
  deps: RunDeps;
  /** What the connector knows of the prerequisites, without opening the CRM. */
  checkCrm(): Promise<Finding[]>;
  /** True if writes may wait beside the CRM, so that an erasure has to open it. */
  keepsWrites: boolean;
  /** What a run does besides: groups become networks, networks become warm paths. */
  stages: Stages;
  /** Requests made so far. */
  calls(): RunFacts['calls'];
  close(): Promise<void>;
}

/** Opens the database, brings its schema up to date, and reads the keys. */
export async function openApplication(options: ApplicationOptions): Promise<Application> {
  const { settings, clock, log, neighbours = {} } = options;
  const keyRing = await loadKeyRing(options.secretKey, settings.database);
  const open = neighbours.openDatabase ?? openDatabase<Tables>;
  const database = await open(settings.database, { log });
  try {
    await prepareSchema(database);
    const sealer = createSealer(keyRing);
    await bindOlderSeals(database, { sealer, unbound: createUnboundOpener(keyRing) }, log);
    const fingerprint = createFingerprint(await loadFingerprintKey(database.db, sealer));
    await markSealsBound(database.db, { sealer });
    const { db, requireInPlace } = database;
    const store = createStore({ db, clock, fingerprint, requireInPlace });
    const integrations = await collectIntegrations(settings, store, sealer);
    warnOfInsecureHttp(log, settings, integrations);
    const { allowInsecureHttp } = settings;
    const sightings = createSightings();
    const { close } = database;
    return assemble(options, { store, sealer, integrations, allowInsecureHttp, sightings, close });
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

/** The file wins over the database, so that what is written in front of a person's eyes counts. */
async function collectIntegrations(
  settings: Settings,
  store: Store,
  sealer: Sealer,
): Promise<Map<string, Integration>> {
  const applied = await store.integrations.listSealedSettings();
  const integrations = new Map(
    applied.map(({ id, settings: sealed }) => [
      id,
      integrationSchema.parse(JSON.parse(sealer.open(sealed, settingsPlace(id)))),
    ]),
  );
  for (const integration of settings.integrations) integrations.set(integration.id, integration);
  return integrations;
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
  'store' | 'sealer' | 'integrations' | 'allowInsecureHttp' | 'close'
> &
  Pick<RunDeps, 'sightings'>;

function assemble(options: ApplicationOptions, parts: Parts): Application {
  const pacers = createPacers({ clock: options.clock, ...options.pace });
  const { sightings: _, ...open } = parts;
  const definitionOf = options.neighbours?.findConnectorDefinition ?? findConnectorDefinition;
  return {
    ...open,
    select: (ids) => selectIntegrations(parts.integrations, ids),
    async contactId({ id, crm }, text) {
      return contactIdOf(canonicalIdOf(await definitionOf(crm.kind)), id, text);
    },
    async rereadAfterMs({ crm }) {
      return (await definitionOf(crm.kind)).rereadAfterMs ?? [];
    },
    findRunning: (id) => findRunning(options, parts.store, id),
    takeLease: (id) => takeLease(options, parts, id),
    open: (integration, signal) =>
      openIntegration(options, parts, { pacers, definitionOf }, integration, signal),
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

/** Groups become networks, and networks become warm paths. */
const RUN_STAGES: Stages = {
  before: [...NETWORK_STAGES.before, ...INSIGHT_STAGES.before],
  after: [...NETWORK_STAGES.after, ...INSIGHT_STAGES.after],
};

function takeLease(
  { owner }: Pick<ApplicationOptions, 'owner'>,
  { store }: Pick<Parts, 'store'>,
  name: string,
): Promise<LeaseAttempt> {
  return store.leases.acquire(name, ownerText(owner), (other) =>
    ownerIsGone(other, owner, isRunning),
  );
}

async function openIntegration(
  options: ApplicationOptions,
  parts: Parts,
  { pacers, definitionOf }: { pacers: Pacers; definitionOf: typeof findConnectorDefinition },
  integration: Integration,
  signal: AbortSignal,
): Promise<OpenIntegration> {
  const { clock, log } = options;
  const { store, sealer } = parts;
  const calls = { partner: 0, crm: 0, throttled: 0 };
  const definition = await definitionOf(integration.crm.kind);
  const connectorOptions: ConnectorOptions<unknown> = {
    settings: crmSettingsOf(definition, integration, parts.allowInsecureHttp),
    contacts: integration.contacts,
    deps: {
      ...{ clock, log, signal },
      secrets: connectorSecrets({ store, sealer }, integration.id),
      onCall({ throttled }) {
        calls.crm += 1;
        if (throttled) calls.throttled += 1;
      },
    },
  };
  const opened: Connector[] = [];
  const { baseUrl, apiKey } = integration.partner;
  const partnerKey = store.fingerprint('partner_key', `${baseUrl}\n${apiKey}`);
  const partner = createPartnerClient({
    baseUrl,
    apiKey,
    clock,
    log,
    pacer: pacers.for(partnerKey),
    ...(options.neighbours?.fetch === undefined ? {} : { fetch: options.neighbours.fetch }),
    onCall({ throttled }) {
      calls.partner += 1;
      if (throttled) calls.throttled += 1;
    },
  });
  return {
    integration,
    partner,
    mappings: integration.fields ?? defaultMappings(definition, integration),
    partnerKey,
    deps: {
      store,
      partner,
      sealer,
      clock,
      sightings: parts.sightings,
      retention: options.settings.retention,
      log,
      newId: () => newId(clock.now()),
      takeLease: (id) => takeLease(options, parts, id),
      canonicalId: canonicalIdOf(definition),
      otherForms: otherFormsOf(definition),
      async openConnector(lease) {
        const open = () => definition.open(connectorOptions);
        const connector = await openPinned(store, integration, lease, open);
        opened.push(connector);
        return connector;
      },
    },
    checkCrm: () => definition.check(connectorOptions),
    keepsWrites: definition.keepsWrites ?? false,
    stages: RUN_STAGES,
    calls: () => ({ ...calls }),
    async close() {
      await Promise.all(opened.splice(0).map((connector) => connector.close()));
    },
  };
}

/** A connector that says nothing of its ids has one form of them. */
function canonicalIdOf(definition: ConnectorDefinition): CanonicalId {
  return (text) => (definition.canonicalId ? definition.canonicalId(text) : text);
}

function otherFormsOf(definition: ConnectorDefinition): (crmId: string) => readonly string[] {
  return (crmId) => definition.otherForms?.(crmId) ?? [];
}

/** The connector's own map; without networks nothing would ever fill the fields of warm paths. */
function defaultMappings(
  { defaultFields }: ConnectorDefinition,
  { networks }: Integration,
): readonly FieldMapping[] {
  if (networks.length > 0) return defaultFields;
  return defaultFields.filter(({ from }) => !from.startsWith('warmPath.'));
}
