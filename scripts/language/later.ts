import type { Sentence } from './texts.ts';

/** Places whose sentences have not been reworded yet. This list only shrinks. */
export const LATER: readonly { place: string; kinds: readonly Sentence['kind'][] }[] = [];
