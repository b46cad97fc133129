import type { Sentence } from './texts.ts';

/** Places whose sentences have not been reworded yet. This list only shrinks. */
export const LATER: readonly { place: string; kinds: readonly Sentence['kind'][] }[] = [
  { place: 'src/backup/', kinds: ['comment', 'shown'] },
  { place: 'src/credits/', kinds: ['comment', 'shown'] },
  { place: 'src/interfaces/api/access.ts', kinds: ['comment'] },
  { place: 'src/interfaces/api/sign-in/', kinds: ['comment'] },
  { place: 'src/interfaces/cli/action/', kinds: ['comment', 'shown'] },
  { place: 'src/operations/', kinds: ['comment', 'shown'] },
  { place: 'src/people/', kinds: ['comment'] },
  { place: 'src/privacy/', kinds: ['comment'] },
];
