/** What the nights have reached: points passed and died at, faults by endpoint. */
import type { Coverage } from './people.ts';

export interface CoverageCounts extends Coverage {
  report(): string;
}

export function createCoverage(): CoverageCounts {
  const points = new Map<string, number>();
  const kills = new Map<string, number>();
  const faults = new Map<string, number>();
  const together = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    point: (name) => void count(points, name),
    kill: (name) => void count(kills, name),
    fault: (fault, endpoint) => void count(faults, `${fault} × ${endpoint}`),
    together: (what, submissions) =>
      void count(together, `${submissions} submissions ${what} together`),
    report() {
      const unkilled = [...points.keys()].filter((name) => !kills.has(name));
      return [
        `${points.size} points, ${kills.size} of them with a kill`,
        `never killed at: ${unkilled.sort().join('; ') || 'none'}`,
        ...[...together].sort().map(([name, times]) => `${name}: ${times} times`),
        ...[...faults].sort().map(([name, times]) => `${times} × ${name}`),
      ].join('\n');
    },
  };
}
