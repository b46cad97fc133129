import type { Figure } from './figure.ts';
import { type Neighbour, type NeighbourOptions, startNeighbour } from './neighbour.ts';
import { createWorkplace, type Workplace } from './workplace.ts';

/** Options for a service without limits, whose jobs finish immediately. */
export const UNLIMITED = { rate: 0, burst: 10, jobTimeMs: 0 };

/** The options of a service with the documented rate limits. */
export const DOCUMENTED = { rate: 10, burst: 10 };

/**
 * Settings that switch off the trial. The trial waits for the first jobs, and this wait would change the measured
 * speed.
 */
export const NO_TRIAL = '    guards: { trial: { size: 0 } }\n';

/**
 * Creates a service and a contact list with this number of people, and runs the measurement. Deletes both afterwards.
 */
export async function withWorkplace(
  contacts: number,
  options: Omit<NeighbourOptions, 'donors'>,
  measure: (place: Workplace, neighbour: Neighbour) => Promise<Figure[]>,
  extra = '',
): Promise<Figure[]> {
  const neighbour = await startNeighbour({ donors: contacts, ...options });
  const place = await createWorkplace(neighbour, contacts, extra);
  try {
    return await measure(place, neighbour);
  } finally {
    await place.remove();
    await neighbour.stop();
  }
}
