import { describe, expect, it } from 'vitest';
import { ask, startPartner } from './partner.ts';

const GOOD = { name: { first: 'Ann', last: 'Lee' } };

describe('validation of a submit (section 2.8)', () => {
  it.each([
    [
      'a missing name',
      { persons: [GOOD, { tracking_id: 'x' }] },
      {
        type: 'missing',
        loc: ['body', 'persons', 1, 'name'],
        msg: 'Field required',
        input: { tracking_id: 'x' },
      },
    ],
    [
      'a name that is no object',
      { persons: [{ name: 'Ann Lee' }] },
      { type: 'model_attributes_type', loc: ['body', 'persons', 0, 'name'], input: 'Ann Lee' },
    ],
    [
      'a first name that is no string',
      { persons: [{ name: { first: 7, last: 'Lee' } }] },
      { type: 'string_type', loc: ['body', 'persons', 0, 'name', 'first'], input: 7 },
    ],
    [
      'a name without first and last',
      { persons: [{ name: { first: ' ' } }] },
      { type: 'value_error', loc: ['body', 'persons', 0, 'name'], input: { first: ' ' } },
    ],
    [
      'addresses that are no list',
      { persons: [{ ...GOOD, addresses: '1 Oak Street' }] },
      { type: 'list_type', loc: ['body', 'persons', 0, 'addresses'], input: '1 Oak Street' },
    ],
    [
      'an employer that is no string',
      { persons: [{ ...GOOD, employers: [null] }] },
      { type: 'string_type', loc: ['body', 'persons', 0, 'employers', 0], input: null },
    ],
    [
      'no persons in the list',
      { persons: [] },
      { type: 'too_short', loc: ['body', 'persons'], input: [] },
    ],
    ['no list of persons', {}, { type: 'missing', loc: ['body', 'persons'], input: {} }],
    ['a bare list', [GOOD], { type: 'model_attributes_type', loc: ['body'] }],
    [
      'a tracking id that is used twice',
      {
        persons: [
          { ...GOOD, tracking_id: 'a' },
          { ...GOOD, tracking_id: 'a' },
        ],
      },
      { type: 'value_error', loc: ['body', 'persons', 1, 'tracking_id'], input: 'a' },
    ],
  ])('refuses %s with 422', async (_, body, item) => {
    const partner = await startPartner();
    const answer = await ask(partner, 'POST', '/enhancements', body);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      detail: [{ msg: expect.any(String), input: expect.anything(), ...item }],
    });
  });

  it('says of a choice that was not made that it is missing', async () => {
    const { status, body } = await ask(await startPartner(), 'POST', '/networks', {
      name: 'Board',
    });
    expect(status).toBe(422);
    expect(body).toEqual({
      detail: [
        {
          type: 'missing',
          loc: ['body', 'color'],
          msg: 'Field required',
          input: { name: 'Board' },
        },
      ],
    });
  });

  it('lists every problem of a request', async () => {
    const partner = await startPartner();
    const { body } = await ask(partner, 'POST', '/enhancements', { persons: [{}, GOOD, {}] });
    expect(body).toMatchObject({
      detail: [{ loc: ['body', 'persons', 0, 'name'] }, { loc: ['body', 'persons', 2, 'name'] }],
    });
  });

  it.each(['{broken', ''])('refuses the body %j with 422', async (body) => {
    const partner = await startPartner();
    const answer = await ask(partner, 'POST', '/enhancements', body);
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({ detail: [expect.objectContaining({ loc: ['body'] })] });
  });

  it('refuses a body that does not claim to be JSON with 422', async () => {
    const partner = await startPartner();
    const response = await fetch(`${partner.baseUrl}/enhancements`, {
      method: 'POST',
      headers: { 'x-api-key': partner.apiKey, 'content-type': 'text/plain' },
      body: JSON.stringify({ persons: [GOOD] }),
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ['header', 'content-type'] }] });
  });

  it('accepts a person of a name alone, and nulls where nothing is known', async () => {
    const partner = await startPartner();
    const persons = [
      GOOD,
      { ...GOOD, addresses: null, employers: null },
      { name: { last: 'Lee' } },
    ];
    expect((await ask(partner, 'POST', '/enhancements', { persons })).status).toBe(202);
  });
});

describe('validation of numbers', () => {
  it.each([
    [{ limit: 1.5 }, { type: 'int_type', loc: ['body', 'limit'], input: 1.5 }],
    [{ limit: '5' }, { type: 'float_type', loc: ['body', 'limit'], input: '5' }],
    [{ min_strength: '0.5' }, { type: 'float_type', loc: ['body', 'min_strength'], input: '0.5' }],
  ])('names what is wrong with %j', async (body, item) => {
    const partner = await startPartner();
    const answer = await ask(partner, 'POST', '/networks/discover', body);
    expect(answer).toMatchObject({ status: 422, body: { detail: [item] } });
  });
});

describe('validation of job ids', () => {
  it.each([
    ['/enhancements/progress/batch', [7], ['body', 0]],
    ['/enhancements/progress/batch', { job_ids: [7] }, ['body', 'job_ids', 0]],
    ['/enhancements/progress/batch', {}, ['body', 'job_ids']],
    ['/enhancements/results/batch', { job_ids: 'x' }, ['body', 'job_ids']],
    ['/enhancements/results/batch', ['x'], ['body']],
  ])('refuses %s %j with 422', async (path, body, loc) => {
    const partner = await startPartner();
    const answer = await ask(partner, 'POST', path, body);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ detail: [{ loc }] });
  });
});
