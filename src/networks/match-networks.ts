/** Matches the networks in the store with the groups in the settings. All functions are pure. */
import type { GroupSelector } from '../../connectors/contract.ts';
import type { NetworkSetting } from '../core/integration-settings.ts';
import type { NetworkRecord } from './statements/networks.ts';

/** A network in the settings, with the fingerprint of its group's selector. */
export interface PrintedSetting {
  setting: NetworkSetting;
  selector: string;
}

/** A network of the settings and its stored row, or null if it is new. */
export interface MatchedSetting extends PrintedSetting {
  row: NetworkRecord | null;
}

/** A configured network that is stored in the database. */
export interface MirroredNetwork {
  setting: NetworkSetting;
  row: NetworkRecord;
}

export interface MatchedNetworks {
  /** The matches, in the order of the settings. */
  settings: MatchedSetting[];
  /** Networks whose setting was removed. */
  left: NetworkRecord[];
}

/**
 * A group is identified by its selector or its name. If only the name changes in the settings, the network is renamed.
 * If only the selector changes, the network is kept and its members change.
 */
export function matchNetworks(
  settings: readonly PrintedSetting[],
  rows: readonly NetworkRecord[],
): MatchedNetworks {
  const left = new Set(rows);
  const found = new Map<PrintedSetting, NetworkRecord>();
  const isSame = [
    (a: PrintedSetting, row: NetworkRecord) => row.selector === a.selector && hasName(a, row),
    (a: PrintedSetting, row: NetworkRecord) => row.selector === a.selector,
    hasName,
  ];
  for (const fits of isSame) {
    for (const printed of settings) {
      if (found.has(printed)) continue;
      const row = [...left].find((candidate) => fits(printed, candidate));
      if (row === undefined) continue;
      left.delete(row);
      found.set(printed, row);
    }
  }
  return {
    settings: settings.map((printed) => ({ ...printed, row: found.get(printed) ?? null })),
    left: [...left],
  };
}

function hasName({ setting }: PrintedSetting, row: NetworkRecord): boolean {
  return row.name === setting.name;
}

/** Returns a selector as canonical text. The order of its keys is not relevant. */
export function selectorText(selector: GroupSelector): string {
  return JSON.stringify(sorted(selector));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
