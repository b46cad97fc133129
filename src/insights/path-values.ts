import type { WarmPathValues } from '../mapping/profile-values.ts';
import type { WarmPath } from './best-path.ts';
import { tellPath } from './sentence.ts';
import { roundedStrength } from './strength.ts';

/** The values of a path for a contact who is called so. */
export function pathValues(
  { connection, network, people }: WarmPath,
  calledName: string,
): WarmPathValues {
  return {
    strength: roundedStrength(connection.strength),
    introducer: connection.sourceDonor.name,
    network: network.name,
    via: connection.entityName ?? connection.snippet,
    sentence: tellPath({ connection, network: network.name, people, calledName }),
  };
}

/**
 * All that a path tells, in one text, but for the contact's own name: as long as it is the same,
 * the CRM holds it already.
 */
export function pathText(path: WarmPath): string {
  return JSON.stringify(pathValues(path, ''));
}
