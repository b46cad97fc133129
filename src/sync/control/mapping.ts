import type { Connector } from '../../../connectors/contract.ts';
import type { Integration } from '../../core/integration-settings.ts';
import type { Store } from '../../store.ts';

/** The part of a connector that says of what its persons are made. */
type Shaped = Pick<Connector, 'identity'>;

/**
 * The mapping in use, as its id: the kind of CRM, the columns that make the identity, and the mode.
 * Neither the filter nor the field map belongs to it. Asked once the connector is prepared.
 */
export function fingerprintMapping(
  { store, connector }: { store: Pick<Store, 'fingerprint'>; connector: Shaped },
  { crm }: Pick<Integration, 'crm'>,
): string {
  return store.fingerprint('mapping', JSON.stringify([crm.kind, ...getShape(connector, crm)]));
}

/** A connector that does not say it has nothing but the columns in its settings, if there are any. */
function getShape(connector: Shaped, crm: Integration['crm']): readonly [string, string] {
  const shape = connector.identity?.();
  if (shape) return [shape.columns, shape.mode];
  return [JSON.stringify(sorted(crm['columns'] ?? null)), ''];
}

/** The same settings in another order are the same mapping; the order within a list counts. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}
