import type { Connector } from '../../../connectors/contract.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Store } from '../../store.ts';

/** The part of a connector that describes the columns with identity data. */
type Shaped = Pick<Connector, 'identity'>;

/**
 * Returns the ID of the mapping. The ID depends on the kind of CRM, the columns with identity data, and the mode. The
 * ID does not depend on the filter or the field map. The connector must be prepared first.
 */
export function fingerprintMapping(
  { store, connector }: { store: Pick<Store, 'fingerprint'>; connector: Shaped },
  { crm }: Pick<Integration, 'crm'>,
): string {
  return store.fingerprint('mapping', JSON.stringify([crm.kind, ...getShape(connector, crm)]));
}

/**
 * Returns the connector's identity columns. If the connector does not describe its columns, they come from its
 * settings.
 */
function getShape(connector: Shaped, crm: Integration['crm']): readonly [string, string] {
  const shape = connector.identity?.();
  if (shape) return [shape.columns, shape.mode];
  return [JSON.stringify(sorted(crm['columns'] ?? null)), ''];
}

/**
 * Sorts the settings, so the same settings in a different order result in the same mapping ID. The order within a list
 * matters and is kept.
 */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}
