/** Opens an integration with its CRM connector and its service client, for a run or a command. */

import type {
  Connector,
  ConnectorDefinition,
  ConnectorOptions,
  FieldsSource,
  Finding,
} from '../../connectors/contract.ts';
import { listPresent } from '../contacts/many-at-once/missing.ts';
import type { FieldMapping } from '../core/field-map.ts';
import type { Integration } from '../core/integration-settings.ts';
import { newId } from '../core/new-id.ts';
import { listAskedByEvent } from '../decisions/statements/erasure-requests.ts';
import { toFieldSpecs } from '../fields/describe.ts';
import { ERASURE_STAGES } from '../fields/erasing/retry-erasures.ts';
import { STATUS_STAGES } from '../fields/write-statuses.ts';
import { NETWORK_STAGES } from '../networks/mirror-networks.ts';
import type { SendRequest } from '../outbound/exchange.ts';
import type { DepartureBoard } from '../outbound/pace.ts';
import { createPartnerClient, type PartnerClient } from '../partner/client.ts';
import type { Pacers } from '../partner/key-pace.ts';
import { INSIGHT_STAGES } from '../paths/write-warm-paths.ts';
import { insecureAddress, insecureAddresses } from '../settings/insecure-http.ts';
import { withAddedMarks } from '../sync/control/added-marks.ts';
import { getCanonicalId, toContactId } from '../sync/control/contact-id.ts';
import type { RunDeps } from '../sync/control/context.ts';
import { openPinned } from '../sync/control/crm-account.ts';
import { forgottenFingerprint, loadErased } from '../sync/control/erased.ts';

import type { Stages } from '../sync/control/stage.ts';
import type { RunFacts } from '../sync/views/run.ts';
import type { ClientGuard } from './client-guard.ts';
import { connectorSecrets } from './connector-secrets.ts';
import { readCrmSettings } from './crm-settings.ts';

export interface OpenDeps
  extends Pick<
    RunDeps,
    'store' | 'sealer' | 'clock' | 'log' | 'sightings' | 'retention' | 'takeLease' | 'erasuresWait'
  > {
  allowInsecureHttp: readonly string[];
  /** The pacer of each service key. All clients with the same service key share the key's pacer. */
  pacers: Pacers;
  /**
   * The board on which processes share the request rate of a CRM account. If null, each process limits its own rate.
   */
  board: DepartureBoard | null;
  findDefinition: (kind: string) => Promise<ConnectorDefinition>;
  /** Sends requests to the service, unless `guard` sends them. */
  fetch: SendRequest;
  guard: Pick<ClientGuard, 'fetchFor'>;
}

/** An integration that has been opened for one run or command. */
export interface OpenIntegration {
  integration: Integration;
  partner: PartnerClient;
  /** The field map that the run uses. */
  mappings: readonly FieldMapping[];
  /** The fingerprint of the service key. */
  partnerKey: string;
  /** The dependencies of a sync. `openCrm` opens the CRM with these dependencies. */
  deps: RunDeps;
  checkCrm(): Promise<Finding[]>;
  /** True if an erasure must open the CRM, because a file next to the CRM's file may contain pending writes. */
  keepsWrites: boolean;
  /**
   * Returns the mapped fields as files that an administrator can deploy. Returns null if the CRM does not support this.
   */
  fieldsAsSource(door: string | null): FieldsSource | null;
  /** Additional stages of a run. */
  stages: Stages;
  /** Returns the number of requests that have been sent so far. */
  calls(): RunFacts['calls'];
  close(): Promise<void>;
}

/** The stages that turn groups into networks, compute warm paths, and write each contact's status to the CRM. */
const RUN_STAGES: Stages = {
  before: [...NETWORK_STAGES.before, ...INSIGHT_STAGES.before],
  after: [
    ...NETWORK_STAGES.after,
    ...INSIGHT_STAGES.after,
    ...ERASURE_STAGES.after,
    ...STATUS_STAGES.after,
  ],
};

/**
 * Checks the addresses again, because settings in the database may be older than `allowInsecureHttp` in the settings
 * file.
 */
function requireConfidential(integration: Integration, allowInsecureHttp: readonly string[]): void {
  const rules = { alerts: { webhook: null }, allowInsecureHttp };
  const [first] = insecureAddresses([integration], rules);
  if (first === undefined) return;
  throw insecureAddress(first, integration.id, 'Nothing was sent there.');
}

/**
 * Returns those contacts that still exist. An erased contact does not count, even if the database still contains its
 * data.
 */
async function countAsPresent(
  store: OpenDeps['store'],
  integrationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const present = await listPresent(store.reader, integrationId, ids);
  const run = await loadErased({ store }, integrationId, null);
  const isErased = (id: string) => forgottenFingerprint({ store }, run, id) !== null;
  return new Set([...present].filter((id) => !isErased(id)));
}

/** Opens an integration. This sends no request yet. */
export async function openIntegration(
  deps: OpenDeps,
  integration: Integration,
  signal: AbortSignal,
): Promise<OpenIntegration> {
  const { clock, log, store, sealer, sightings, retention, takeLease, erasuresWait } = deps;
  requireConfidential(integration, deps.allowInsecureHttp);
  const guarded = deps.guard.fetchFor(integration);
  const calls = { partner: 0, crm: 0, throttled: 0 };
  const definition = await deps.findDefinition(integration.crm.kind);
  // The connector does not need to know which contacts object to research.
  const { objections, ...contacts } = integration.contacts;
  const connectorOptions: ConnectorOptions<unknown> = {
    settings: readCrmSettings(definition, integration, deps.allowInsecureHttp),
    contacts,
    deps: {
      clock,
      log,
      signal,
      board: deps.board,
      ...(guarded && { fetch: guarded }),
      secrets: connectorSecrets({ store, sealer }, integration.id),
      countAsPresent: (ids) => countAsPresent(store, integration.id, ids),
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
    pacer: deps.pacers.for(partnerKey),
    fetch: guarded ?? deps.fetch,
    onCall({ throttled }) {
      calls.partner += 1;
      if (throttled) calls.throttled += 1;
    },
  });
  const mappings = integration.fields ?? defaultMappings(definition, integration);
  const uses = {
    fields: mappings.map(({ to }) => to),
    groups: integration.networks.map(({ group }) => group),
  };
  return {
    integration,
    partner,
    mappings,
    partnerKey,
    deps: {
      store,
      partner,
      sealer,
      clock,
      sightings,
      retention,
      ...(erasuresWait !== undefined && { erasuresWait }),
      log,
      newId: () => newId(clock.now()),
      takeLease,
      canonicalId: getCanonicalId(definition),
      otherForms: getOtherForms(definition),
      async openConnector(lease) {
        const canonicalId = getCanonicalId(definition);
        // A mistyped ID must not cause donor-sync to enhance a contact that objects.
        const objectors = objections.map((id) => toContactId(canonicalId, integration.id, id));
        const marks = {
          objectors: new Set(objectors),
          listAsked: () => listAskedByEvent(store.reader, integration.id),
        };
        const open = async () => withAddedMarks(await definition.open(connectorOptions), marks);
        const connector = await openPinned(store, integration, lease, open);
        opened.push(connector);
        return connector;
      },
    },
    checkCrm: () => definition.check({ ...connectorOptions, uses }),
    keepsWrites: definition.keepsWrites ?? false,
    fieldsAsSource: (door) =>
      definition.fieldsAsSource?.(connectorOptions.settings, toFieldSpecs(mappings), door) ?? null,
    stages: RUN_STAGES,
    calls: () => ({ ...calls }),
    async close() {
      await Promise.all(opened.splice(0).map((connector) => connector.close()));
    },
  };
}

function getOtherForms(definition: ConnectorDefinition): (crmId: string) => readonly string[] {
  return (crmId) => definition.otherForms?.(crmId) ?? [];
}

/** Returns the connector's own field map. For a client without networks, leaves out the fields for warm paths. */
function defaultMappings(
  { defaultFields }: ConnectorDefinition,
  { networks }: Integration,
): readonly FieldMapping[] {
  if (networks.length > 0) return defaultFields;
  return defaultFields.filter(({ from }) => !from.startsWith('warmPath.'));
}
