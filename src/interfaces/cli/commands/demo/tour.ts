import type { Output } from '../../terminal/output.ts';
import type { DemoReport } from './show.ts';

export interface TourStop {
  title: string;
  path: string;
  words: string;
}

/**
 * Creates the stops of the tour. Each page of the tour explains the next page. `holdId` is null if no contact waits for
 * a decision.
 */
export function buildTour(
  { crms, folder, partner }: Pick<DemoReport, 'crms' | 'folder' | 'partner'>,
  holdId: string | null,
): TourStop[] {
  const crm = crms.find(({ runs }) => runs.length > 0);
  const [run] = crm?.runs ?? [];
  return [
    {
      title: 'Home',
      path: '/',
      words: 'Three clients: the results and costs of each night, and your open decisions.',
    },
    {
      title: 'A run',
      path: run === undefined ? '/runs' : `/runs/${run.id}`,
      words: 'The outcome of each contact, and why. "Changes" shows a contact before and after.',
    },
    {
      title: 'A decision',
      path: holdId === null ? '/decisions' : `/decisions/${holdId}`,
      words:
        'Two names side by side: are they the same person? Decide. "Undo" withdraws your answer.',
    },
    {
      title: 'Networks',
      path: run === undefined ? '/networks' : `/networks/${run.integration}`,
      words: 'Which board and staff members can introduce which contact. Click a person.',
    },
    {
      title: 'Credits',
      path: '/credits',
      words: 'The credits left on the key, and what each client spent.',
    },
    {
      title: 'Set-up',
      path: '/setup',
      words: `Add a client: drop the file ${folder.contacts}, whose people are already paid for. The key is ${partner.apiKey}`,
    },
  ];
}

/** Prints the stops with their addresses. */
export function showTour(output: Output, url: string, stops: readonly TourStop[]): void {
  output.print(output.style.strong('A three-minute tour, in a browser on this machine'));
  for (const [place, { title, path, words }] of stops.entries()) {
    output.print(`  ${place + 1}  ${title.padEnd(TITLE_WIDTH)}  ${url}${path}`);
    output.print(`     ${output.style.faint(words)}`);
  }
}

const TITLE_WIDTH = 10;
