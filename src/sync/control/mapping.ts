import type { Connector } from '../../../connectors/contract.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Store } from '../../store.ts';

/** The part of a connector that describes the columns of a person. */
type Shaped = Pick<Connector, 'identity'>;

/**
 * The ID of the mapping in use: the kind of CRM, the columns that make the identity, and the mode.
 * Neither the filter nor the field map is part of it. Call it once the connector is prepared.
 */
export function fingerprintMapping(
  { store, connector }: { store: Pick<Store, 'fingerprint'>; connector: Shaped },
  { crm }: Pick<Integration, 'crm'>,
): string {
  return store.fingerprint('mapping', JSON.stringify([crm.kind, ...getShape(connector, crm)]));
}

/** If a connector does not describe its columns, it has only the columns from its settings, if any. */
function getShape(connector: Shaped, crm: Integration['crm']): readonly [string, string] {
  const shape = connector.identity?.();
  if (shape) return [shape.columns, shape.mode];
  return [JSON.stringify(sorted(crm['columns'] ?? null)), ''];
}

/** The same settings in a different order give the same mapping. The order within a list matters. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}
