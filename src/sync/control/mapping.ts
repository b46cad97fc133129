import type { Connector } from '../../../connectors/contract.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Store } from '../../store.ts';

/** The part of a connector that describes which columns identify a person. */
type Shaped = Pick<Connector, 'identity'>;

/**
 * Returns the ID of the mapping in use. It depends on the kind of CRM, the columns that identify a person, and the
 * mode, but not on the filter or the field map. The connector must be prepared first.
 */
export function fingerprintMapping(
  { store, connector }: { store: Pick<Store, 'fingerprint'>; connector: Shaped },
  { crm }: Pick<Integration, 'crm'>,
): string {
  return store.fingerprint('mapping', JSON.stringify([crm.kind, ...getShape(connector, crm)]));
}

/** Returns the connector's columns. If the connector does not describe them, the columns come from its settings. */
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
