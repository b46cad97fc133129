/** Creates missing CRM fields and gives users access to the fields. */
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

export interface CreatedFields {
  integration: string;
  created: FieldCreation[];
  /** The problems that remain. */
  findings: FieldMapFinding[];
  viewers: FieldViewers | null;
  /** The created lists. Null if the user requested no lists. Empty if this CRM cannot create lists. */
  lists: ListCreation[] | null;
}

export interface CreateFieldsOptions {
  /**
   * The group of users who should see the new fields, if the CRM hides new fields. Omitted if nobody should get access.
   */
  assignViewers?: string | undefined;
  /** True to also create lists of contacts for users to check. */
  withLists?: boolean;
  capacityAbove?: number;
  warmPathAbove?: number;
}

/** Creates the fields. Refuses any account other than the account to which this integration may write. */
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
