import type { Sentence } from './texts.ts';

/** Places whose sentences have not been reworded yet. This list only shrinks. */
export const LATER: readonly { place: string; kinds: readonly Sentence['kind'][] }[] = [
  { place: 'scripts/screenshots.ts', kinds: ['shown'] },
  { place: 'src/interfaces/pages/clients/', kinds: ['shown'] },
  { place: 'src/interfaces/pages/setup/', kinds: ['comment', 'shown'] },
  { place: 'src/interfaces/pages/sign-in/', kinds: ['comment'] },
  { place: 'src/interfaces/pages/users/', kinds: ['shown'] },
];
