import { describe, expect, it } from 'vitest';
import { createReader, type Question } from '../../service/search/question/question.ts';

const read = createReader((text) => /^(dianne )?hogan$/i.test(text));

describe('reading a question in plain English', () => {
  it.each([
    [
      'board members of food banks in Chicago with net worth over $5M',
      { min_net_worth: 5_000_000, city: 'Chicago', ties: [board({ organization: 'food banks' })] },
    ],
    [
      'people who worked at Corvfell Engineering',
      { ties: [work({ organization: 'Corvfell Engineering', when: 'ever' })] },
    ],
    [
      'alumni of Milbrook University older than 60',
      {
        min_age: 61,
        ties: [{ relationship: 'attends', organization: 'Milbrook University', when: 'ever' }],
      },
    ],
    [
      'former employees of "Bread and Water, Inc." aged 40-50',
      {
        min_age: 40,
        max_age: 50,
        ties: [work({ organization: 'Bread and Water, Inc.', when: 'past' })],
      },
    ],
    [
      'who gave more than $10,000 to the Boys and Girls Club and lives in New York, NY',
      {
        city: 'New York',
        state: 'NY',
        ties: [gift({ organization: 'Boys and Girls Club', min_amount: 10_000 })],
      },
    ],
    [
      'donors to hospices who gave over $1,000',
      { ties: [gift({ organization: 'hospices', min_amount: 1000 })] },
    ],
    [
      'CEOs in Illinois worth $10M+',
      {
        min_net_worth: 10_000_000,
        state: 'IL',
        ties: [work({ title: 'chief executive officer' })],
      },
    ],
    [
      'who sat on the board of a children’s hospital and worked at a bank',
      {
        ties: [
          board({ organization: "children's hospital", when: 'ever' }),
          work({ organization: 'bank', when: 'ever' }),
        ],
      },
    ],
    ['board chairs aged 60 or older', { min_age: 60, ties: [board({ title: 'chair' })] }],
    [
      'founders worth between $1 and $5 million',
      { min_net_worth: 1_000_000, max_net_worth: 5_000_000, ties: [work({ title: 'founder' })] },
    ],
    [
      'people in their 50s with capacity over $250k',
      { min_age: 50, max_age: 59, min_capacity: 250_000, ties: [] },
    ],
    ['people under 40 living in Springfield', { max_age: 39, city: 'Springfield', ties: [] }],
    ['Denver-based millionaires', { city: 'Denver', min_net_worth: 1_000_000, ties: [] }],
    [
      'Harvard alumni in Boston',
      {
        city: 'Boston',
        ties: [{ relationship: 'attends', organization: 'Harvard', when: 'ever' }],
      },
    ],
    [
      'alumni from Boston College',
      { ties: [{ relationship: 'attends', organization: 'Boston College', when: 'ever' }] },
    ],
    [
      'former judges of the district court',
      { ties: [work({ organization: 'district court', title: 'judge', when: 'past' })] },
    ],
    [
      'members of the Committee on Finance',
      { ties: [{ organization: 'Committee on Finance', when: 'present' }] },
    ],
    ['Dianne Hogan', { name: 'Dianne Hogan', ties: [] }],
    ['people named Grace Hopwood', { name: 'Grace Hopwood', ties: [] }],
  ])('understands all of %j', (text, filters) => {
    const question = read(text);
    expect(plain(question)).toEqual(filters);
    expect(question.ignored).toEqual([]);
  });

  it('tells part by part what it made of a question', () => {
    expect(read('board members of museums over 60').understood).toEqual([
      { text: 'over 60', meaning: 'age 61 or more' },
      {
        text: 'board members of museums',
        meaning: 'sits on board of an organization named "museums" (present)',
      },
    ]);
  });

  it.each([
    ['trustees who love cats', [board({})], 'love cats', 'not understood'],
    [
      'board members of museums or hospices',
      [board({ organization: 'museums' })],
      'or hospices',
      'alternatives are not understood',
    ],
    [
      "trustees who don't work at Foo",
      [board({})],
      "who don't work at Foo",
      'what must not hold is not understood',
    ],
  ])('says what of %j it passes over', (text, ties, passedOver, reason) => {
    const question = read(text);
    expect(plain(question)).toEqual({ ties });
    expect(question.ignored).toEqual([{ text: passedOver, reason }]);
  });

  it('takes only the first of two things that cannot both be meant', () => {
    const question = read('people living in Boston, living in Denver');
    expect(plain(question)).toEqual({ city: 'Boston', ties: [] });
    expect(question.ignored).toEqual([{ text: 'living in Denver', reason: expect.any(String) }]);
  });

  it('understands nothing of a question that says nothing it knows', () => {
    expect(plain(read('cats and dogs'))).toEqual({ ties: [] });
  });
});

/** Returns only the filters that are set. */
function plain({ filters }: Question): unknown {
  return JSON.parse(JSON.stringify(filters));
}

function board(more: object): object {
  return { relationship: 'sits_on_board_of', when: 'present', ...more };
}

function work(more: object): object {
  return { relationship: 'works_for', when: 'present', ...more };
}

function gift(more: object): object {
  return { relationship: 'donates_to', when: 'ever', ...more };
}
