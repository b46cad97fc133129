import type { Sentence } from './texts.ts';

/** Places whose sentences have not been reworded yet. Do not add entries to this list. */
export const LATER: readonly { place: string; kinds: readonly Sentence['kind'][] }[] = [];
