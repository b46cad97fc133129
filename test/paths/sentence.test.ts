import { describe, expect, it } from 'vitest';
import type { Connection } from '../../src/partner/connections/connection.ts';
import { describeConnection, describePath } from '../../src/paths/sentence.ts';
import { aConnection } from './connections.ts';

function tell(traits: Partial<Connection>, calledName = 'Anna'): string {
  return describeConnection({ connection: aConnection(traits), network: 'Board', calledName });
}

/** Returns a connection with the same relationship on both sides. */
function both(word: string, entityName: string, snippet: string | null): Partial<Connection> {
  return { sourceRelationship: word, targetRelationship: word, entityName, snippet };
}

describe('tellConnection', () => {
  it.each<[string, Partial<Connection>, string]>([
    [
      'a board that is over',
      {},
      'Maria Ortiz (Board) sat on the board of Riverside Food Bank with Anna, 2012–2018.',
    ],
    [
      'a board that lasts',
      { snippet: 'Both on the board of Riverside Food Bank since 2019; also Hill College, 2001' },
      'Maria Ortiz (Board) has sat on the board of Riverside Food Bank with Anna since 2019.',
    ],
    [
      'a board without years',
      { snippet: 'Fellow trustees' },
      'Maria Ortiz (Board) sits on the board of Riverside Food Bank with Anna.',
    ],
    [
      'a committee, which has no board',
      both(
        'sits_on_board_of',
        'Senate Special Committee on Aging',
        'Both members of Senate Special Committee on Aging, 2001–2003',
      ),
      'Maria Ortiz (Board) sat on the Senate Special Committee on Aging with Anna, 2001–2003.',
    ],
    [
      'the first of several organizations, without the years of another',
      { snippet: 'Both on the board of Riverside Food Bank; also Hill College, 2001–2003' },
      'Maria Ortiz (Board) sits on the board of Riverside Food Bank with Anna.',
    ],
    [
      'an employer of one year',
      both('worked_for', 'Acme', 'Both worked at Acme, 2004'),
      'Maria Ortiz (Board) worked at Acme with Anna in 2004.',
    ],
    [
      'an employer without years that one of them left',
      { ...both('worked_for', 'Acme', null), targetRelationship: 'works_for' },
      'Maria Ortiz (Board) worked at Acme with Anna.',
    ],
    [
      'a school',
      both('attended', 'University of Utah', 'Both attended University of Utah, 1990–1994'),
      'Maria Ortiz (Board) attended the University of Utah with Anna, 1990–1994.',
    ],
    [
      'gifts',
      both('donates_to', 'The Shelter', 'Both gave to The Shelter, 2015–2020'),
      'Maria Ortiz (Board) and Anna both gave to The Shelter, 2015–2020.',
    ],
    [
      'service',
      both('served_in', 'U.S. Senate', 'Both served in U.S. Senate, 2001–2009'),
      'Maria Ortiz (Board) served in the U.S. Senate with Anna, 2001–2009.',
    ],
    [
      'a trustee and a person who worked there',
      {
        targetRelationship: 'worked_for',
        snippet: 'Board member and employee of Riverside Food Bank, 2012–2018',
      },
      'Maria Ortiz (Board) sat on the board of Riverside Food Bank while Anna worked there, 2012–2018.',
    ],
    [
      'a donor and a trustee, still',
      {
        sourceRelationship: 'donates_to',
        snippet: 'Board member and donor of Riverside Food Bank since 2020',
      },
      'Maria Ortiz (Board) has given to Riverside Food Bank since 2020, and Anna sits on its board.',
    ],
  ])('tells of %s', (_what, traits, sentence) => {
    expect(tell(traits)).toBe(sentence);
  });

  it.each<[string, Partial<Connection>, string]>([
    [
      'an unknown relationship',
      { sourceRelationship: 'sails_with' },
      'Maria Ortiz (Board) knows Anna through Riverside Food Bank.',
    ],
    [
      'no relationship at all',
      { targetRelationship: null },
      'Maria Ortiz (Board) knows Anna through Riverside Food Bank.',
    ],
    [
      'no organization',
      { entityName: null, snippet: 'Neighbors in Reno.' },
      'Maria Ortiz (Board) knows Anna: Neighbors in Reno.',
    ],
    ['nothing at all', { entityName: null, snippet: null }, 'Maria Ortiz (Board) knows Anna.'],
    [
      'a member without a name',
      { sourceDonor: { donorId: 'maria', name: null, profileUrl: null } },
      'Someone (Board) sat on the board of Riverside Food Bank with Anna, 2012–2018.',
    ],
  ])('makes do with %s', (_what, traits, sentence) => {
    expect(tell(traits)).toBe(sentence);
  });

  it('ends with one full stop, also after a name that brings its own', () => {
    expect(tell({ snippet: null }, 'Tom Jr.')).toMatch(/with Tom Jr\.$/);
  });
});

describe('tellPath', () => {
  const parts = { connection: aConnection(), network: 'Board', calledName: 'Anna' };

  it('says how many people know the contact, in a sentence without anybody’s gender', () => {
    expect(describePath({ ...parts, people: 4 })).toBe(
      'Maria Ortiz (Board) sat on the board of Riverside Food Bank with Anna, 2012–2018. ' +
        '4 people in your networks know Anna.',
    );
  });

  it('says nothing of a number if it is one', () => {
    expect(describePath({ ...parts, people: 1 })).toBe(describeConnection(parts));
  });
});
