import type { Sentence } from './texts.ts';

/** Places whose sentences have not been reworded yet. This list only shrinks. */
export const LATER: readonly { place: string; kinds: readonly Sentence['kind'][] }[] = [
  { place: 'bench/', kinds: ['shown'] },
  { place: 'connectors/hubspot/', kinds: ['shown'] },
  { place: 'connectors/salesforce/', kinds: ['shown'] },
  { place: 'docs/development/where-would-you-change.md', kinds: ['document'] },
  { place: 'docs/guides/connecting.md', kinds: ['document'] },
  { place: 'docs/matching.md', kinds: ['document'] },
  { place: 'scripts/', kinds: ['shown'] },
  { place: 'service/', kinds: ['shown'] },
  { place: 'src/clients/', kinds: ['shown'] },
  { place: 'src/contacts/', kinds: ['shown'] },
  { place: 'src/database/', kinds: ['shown'] },
  { place: 'src/decisions/', kinds: ['shown'] },
  { place: 'src/fields/', kinds: ['shown'] },
  { place: 'src/interfaces/pages/clients/', kinds: ['shown'] },
  { place: 'src/interfaces/pages/setup/', kinds: ['comment', 'shown'] },
  { place: 'src/interfaces/pages/sign-in/', kinds: ['comment'] },
  { place: 'src/interfaces/pages/users/', kinds: ['shown'] },
  { place: 'src/partner/', kinds: ['shown'] },
  { place: 'src/sync/', kinds: ['shown'] },
];
