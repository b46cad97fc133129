/** Creates the mapped fields that a CRM lacks, and gives users the access that they need. */
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

/** The result of creating an integration's fields. */
export interface CreatedFields {
  integration: string;
  created: FieldCreation[];
  /** The problems that remain. */
  findings: FieldMapFinding[];
  /** The users who can see the fields, or null if the CRM does not hide new fields from users. */
  viewers: FieldViewers | null;
  /** Null if no lists were requested. Empty if this kind of CRM cannot create lists. */
  lists: ListCreation[] | null;
}

export interface CreateFieldsOptions {
  /**
   * The group whose users should see the fields, if the CRM hides new fields. Null or omitted if no users should get
   * access.
   */
  assignViewers?: string | undefined;
  /** True to also create lists of the contacts to work with. */
  withLists?: boolean;
  capacityAbove?: number;
  warmPathAbove?: number;
}

/**
 * Creates the missing fields, only in the account that this integration may write to. Takes the lease, because a run
 * writes to the same CRM.
 */
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
