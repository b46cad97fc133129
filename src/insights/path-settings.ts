import type { MirroredNetwork } from '../store/networks/mirrored-networks.ts';
import type { Store } from '../store/store.ts';
import type { InsightRun } from './context.ts';

/** Fingerprint of what decides what a path is, how it is told and where it is written. */
export function fingerprintSettings(
  { fingerprint }: Pick<Store, 'fingerprint'>,
  { integration, mappings }: Pick<InsightRun, 'integration' | 'mappings'>,
  networks: readonly MirroredNetwork[],
): string {
  const text = JSON.stringify([
    integration.insights.minStrength,
    networks.map(({ networkId, name }) => [networkId, name]),
    mappings.filter(({ from }) => from.startsWith('warmPath.')),
  ]);
  return fingerprint('warm_path_settings', text);
}
