/** An engine whose connections a test defines. */

import type { ConnectionEngine, FoundConnection } from '../../../service/connections/engine.ts';

/** The numbers of two donors, and the strength of their connection. */
export type Tie = readonly [one: number, other: number, strength: number];

/** Creates an engine that connects only the given pairs of donors. */
export function anEngineOf(ties: readonly Tie[]): ConnectionEngine {
  const connectionsOf = (donor: number) =>
    ties
      .flatMap(([one, other, strength]) =>
        one === donor
          ? [connect(other, strength)]
          : other === donor
            ? [connect(one, strength)]
            : [],
      )
      .sort((a, b) => b.strength - a.strength || a.donor - b.donor);
  return {
    find: (donor, { minStrength, limit }) =>
      connectionsOf(donor)
        .filter(({ strength }) => strength >= minStrength)
        .slice(0, limit),
    between: (donor, other) => connectionsOf(donor).find((one) => one.donor === other) ?? null,
  };
}

/** Wraps an engine. Records the donors whose connections were requested. */
export function watchEngine(engine: ConnectionEngine, noteFind: (donor: number) => void) {
  return {
    ...engine,
    find(donor, options) {
      noteFind(donor);
      return engine.find(donor, options);
    },
  } satisfies ConnectionEngine;
}

function connect(donor: number, strength: number): FoundConnection {
  return {
    donor,
    strength,
    entityName: 'Old Mill',
    entityType: 'company',
    sourceRelationship: 'works_for',
    targetRelationship: 'worked_for',
    snippet: 'Both worked at Old Mill',
  };
}
