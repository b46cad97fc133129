/** Matches the stored networks with the groups in the settings. All functions are pure. */
import type { GroupSelector } from '../../connectors/contract.ts';
import type { NetworkSetting } from '../core/integration-settings.ts';
import type { NetworkRecord } from './statements/networks.ts';

/** A network in the settings, with the fingerprint of its group's selector. */
export interface PrintedSetting {
  setting: NetworkSetting;
  selector: string;
}

/** A network in the settings, with its stored row. The row is null if the network is new. */
export interface MatchedSetting extends PrintedSetting {
  row: NetworkRecord | null;
}

/** A network that is in the settings and in the database. */
export interface MirroredNetwork {
  setting: NetworkSetting;
  row: NetworkRecord;
}

export interface MatchedNetworks {
  /** The networks in the settings, in their order. */
  settings: MatchedSetting[];
  /** Stored networks whose setting was removed. */
  left: NetworkRecord[];
}

/**
 * Matches networks by the group's selector or by the name. If only the name changes in the settings, the network is
 * renamed. If only the selector changes, the network is kept and its members change.
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

/** Returns a selector as canonical text, in which the order of the keys does not matter. */
export function selectorText(selector: GroupSelector): string {
  return JSON.stringify(sorted(selector));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
