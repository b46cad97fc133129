import type { Stages } from '../run/stage.ts';
import { mirrorNetworks } from './mirror-networks.ts';
import { readGroups } from './read-groups.ts';

/** What networks do in a run: groups are read before the contacts, and mirrored after them. */
export const NETWORK_STAGES: Stages = { before: [readGroups], after: [mirrorNetworks] };
