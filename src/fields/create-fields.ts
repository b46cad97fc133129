/** The mapped fields that a CRM lacks, created with the access that they need. */
import type {
  Connector,
  FieldCreation,
  FieldViewers,
  ListCreation,
} from '../../connectors/contract.ts';
import type { OpenIntegration } from '../clients/open-integration.ts';
import type { FieldMapping } from '../core/field-map.ts';
import type { FieldMapFinding } from '../mapping/check-field-map.ts';
import { openCrm } from '../sync/control/crm-account.ts';
import { keepErasedAway } from '../sync/control/erased.ts';
import { withLease } from '../sync/control/with-lease.ts';
import { createMissingFields, readFields } from './describe.ts';
import { wantedLists } from './lists.ts';

/** What became of the fields of an integration. */
export interface CreatedFields {
  integration: string;
  created: FieldCreation[];
  /** What is still wrong afterwards. */
  findings: FieldMapFinding[];
  /** Who can see the fields; null where the CRM hides no new field from people. */
  viewers: FieldViewers | null;
  /** Null if none were asked for; none where this kind of CRM has no lists that can be made. */
  lists: ListCreation[] | null;
}

export interface CreateFieldsOptions {
  /** Whose users are to see the fields, where the CRM hides new ones; null or left out for no one. */
  assignViewers?: string | undefined;
  /** True if lists of the contacts to work with are wanted as well. */
  withLists?: boolean;
  capacityAbove?: number;
  warmPathAbove?: number;
}

/** Creates what is missing. Not during a run, which writes to the same CRM, and only in the account that is ours to write. */
export function createFields(
  open: OpenIntegration,
  options: CreateFieldsOptions = {},
): Promise<CreatedFields> {
  const { integration, mappings } = open;
  return withLease(open.deps, integration.id, async (lease) => {
    const deps = await openCrm(open.deps, lease);
    const { connector } = deps;
    await keepErasedAway(deps, integration.id);
    const created = await createMissingFields(connector, mappings);
    const { findings } = await readFields(connector, mappings);
    const names = mappings.map(({ to }) => to);
    const viewers = (await connector.showFields?.(names, options.assignViewers ?? null)) ?? null;
    const lists = options.withLists ? await createLists(connector, mappings, options) : null;
    await connector.finish();
    return { integration: integration.id, created, findings, viewers, lists };
  });
}

async function createLists(
  connector: Connector,
  mappings: readonly FieldMapping[],
  { capacityAbove = 100_000, warmPathAbove = 50 }: CreateFieldsOptions,
): Promise<ListCreation[]> {
  if (connector.createLists === undefined) return [];
  const { specs, impossible } = wantedLists(mappings, await connector.describeFields(), {
    capacityAbove,
    warmPathAbove,
  });
  return [...(await connector.createLists(specs)), ...impossible];
}
