import { describe, expect, it } from 'vitest';
import { findFaults } from '../../scripts/language/faults.ts';
import { readDocument, readSource } from '../../scripts/language/texts.ts';

const BAD = [
  'A contact whose address is corrected leaves its hold and is asked again.',
  'The service was asked about the same person for another contact.',
  'A request that takes too long is asked for in halves.',
  'The CRM could not be asked whether the contact still exists.',
  'A profile older than this is asked for again.',
  'Runs that were asked for and have not started.',
  'The run that goes on or waits in the queue.',
  'Killed at any moment, the next one goes on.',
  'The question about the response goes along with the contact.',
  'Ids that go further than the list are refused.',
  'A page went over the limit of the account.',
  'Save the settings and go on with the next step.',
  'Show what stood there before the write.',
  '$ACCOUNT stands in if the account is a household.',
  'The key is in a file beside the database.',
  'No user besides the owner can see the field.',
  'Up to six submissions of a key are under way together.',
  'Choose the clients that are within reach, or all.',
  'The client is out of reach of this token.',
  'The run stopped because the service was away.',
  'A process of another host is at work.',
  'This is no filter that the CRM understands.',
  'The values are none of the options of the field.',
  'The columns are no part of the file any more.',
  'A small change makes no network of it.',
  'What the CRM said goes into no pipe and no file.',
  'Nothing of it is done before someone confirms it.',
  'The two databases share nothing but their keys.',
  'The service knows no person with this name.',
  'Where limits are in the way, start the sandbox without them.',
  'Where there is no column of names, the import is refused.',
  'A client that was removed is set up anew.',
  'The hold goes by itself once the details are corrected.',
  'They have to open the port by themselves.',
  'The contact is delivered all the same.',
  'The new database is checked, and only then the old one is deleted.',
  'Add credits to a team, also while the service runs.',
  'The block stays, also after a restore.',
  'Nor does it add up what one user approves.',
  'The contact was changed by others meanwhile.',
  'No run begins by schedule until you resume it.',
  'The stand-ins are processes of their own.',
  'Give the new account an integration of its own.',
  'The contacts are read again, those that changed and all others.',
  'The address is the one of the first connection.',
  'The action is described as a sentence.',
  'Another person than the requester has to confirm it.',
  'A plan is printed for a person.',
  'The partner key expires within a week.',
  'Donor-sync compares every contact that the run has read with the contacts that earlier runs have read, and it marks all contacts that are missing from the list as possibly removed from the CRM.',
];

const GOOD = [
  'If you correct the address, the hold is released and the contact is submitted again.',
  'You are asked for a second factor when you sign in.',
  'Users are asked to confirm a change of more than 100 contacts.',
  'The user was asked before anything was sent.',
  'A request that takes too long is split in half.',
  'The run that is in progress or queued.',
  'If a run is killed, the next one continues where it stopped.',
  'Where do the columns go?',
  'Show the previous and current values.',
  'The stand-in for HubSpot needs no account.',
  'A standard field already exists in the org.',
  'The key is in a file next to the database.',
  'In addition to the owner, two users can see the field.',
  'Up to six submissions per key are in flight at once.',
  'The service is unavailable, so the run stopped early.',
  'A worker is running on another host.',
  'contacts.filter is not a valid HubSpot filter.',
  'There is no column of names in the file.',
  'There are none of these fields in the org.',
  'The credit is no longer charged to the client.',
  'The new list is no larger than the old one.',
  'The account has no passkey.',
  'It makes no difference which file comes first.',
  'Nothing was erased.',
  'No one else can read the file.',
  'If rate limits get in the way, start the sandbox without them.',
  'The folder where the backups are is private.',
  'Look up where the key comes from.',
  'Remove the client and set it up again.',
  'The hold is released automatically.',
  'The contact is delivered anyway.',
  'Only then is the old database deleted.',
  'You can add credits while the service is running, too.',
  'This is an identifier, also known as a key.',
  'Neither the database nor the CRM has such a contact.',
  'The contact was changed by someone else in the meantime.',
  'No run starts until you resume the schedule.',
  'The beginning of the file has a byte order mark.',
  'Each stand-in runs in a separate process.',
  'Read all contacts again, or only the contacts that changed.',
  'The times are those measured on a calm machine.',
  'Choose the network that the members know best.',
  'A donor is a person whom the service knows.',
  'Someone other than the requester has to confirm it.',
  'The service key expires within a week.',
  'The settings have two parts: the service and the clients.',
  'Run `donor-sync plan riverside` to see what it would cost.',
  'It is done by the service itself.',
  'The same rules apply to all of them.',
  'A killed run leaves nothing half done, because the next one reads its state from the database and repeats only the steps that were not recorded.',
];

const isFaulty = (sentence: string) => findFaults(sentence).length > 0;

describe('the check of language', () => {
  it('finds every bad sentence', () => {
    expect(BAD).toHaveLength(50);
    expect(BAD.filter((sentence) => !isFaulty(sentence))).toEqual([]);
  });

  it('finds nothing in good sentences', () => {
    expect(GOOD).toHaveLength(50);
    expect(GOOD.filter(isFaulty)).toEqual([]);
  });

  it('counts the words of one sentence, and code as one word', () => {
    const words = (count: number) => `${'word '.repeat(count - 1)}word.`;
    expect(isFaulty(words(30))).toBe(false);
    expect(findFaults(words(31))).toEqual([
      { words: '31 words', instead: 'at most 30 words, or two sentences' },
    ]);
    expect(readDocument(`${words(20)} W${words(20)}`).map(({ text }) => isFaulty(text))).toEqual([
      false,
      false,
    ]);
    expect(readDocument(`Run ${'`a b c d e f g h i j`, '.repeat(4)}now.`)[0]?.text).toBe(
      'Run `code`, `code`, `code`, `code`, now.',
    );
  });

  it('reads paragraphs, items and cells of a document, and no code', () => {
    const document = [
      '# A heading about it',
      '',
      'The first sentence. The second',
      'one ends [here](there.md).',
      '- an item',
      '',
      '| One cell | another; and its rest |',
      '```sh',
      'nothing stands here',
      '```',
    ];
    expect(readDocument(document.join('\n')).map(({ text, line }) => [line, text])).toEqual([
      [1, 'A heading about it'],
      [3, 'The first sentence.'],
      [3, 'The second one ends here.'],
      [5, 'an item'],
      [7, 'One cell'],
      [7, 'another'],
      [7, 'and its rest'],
    ]);
  });

  it('reads comments and shown texts of a source, and neither types nor SQL', () => {
    const source = [
      "import { a } from './some words are here.ts';",
      '/** What it is. It has',
      ' * two sentences. */',
      "type Word = 'these are no words';",
      'const text = `There are $' + '{count(1)} contacts. ` + "They are read again.";',
      "const name = 'a.name';",
      'const rows = sql`select all of this from there`;',
      '// One comment',
      '// of two lines.',
      'const view = <p>Press <b>the button</b> and {wait ? "wait for it" : "leave the page"}.</p>;',
    ];
    expect(readSource('a.tsx', source.join('\n')).map(({ line, text }) => [line, text])).toEqual([
      [2, 'What it is.'],
      [2, 'It has two sentences.'],
      [8, 'One comment of two lines.'],
      [5, 'There are … contacts.'],
      [5, 'They are read again.'],
      [10, 'wait for it'],
      [10, 'leave the page'],
      [10, 'Press the button and ….'],
    ]);
  });
});
