import { expect, it } from 'vitest';
import { shareSignIn } from '../../src/outbound/sign-in.ts';

it('renews as often as it expires, while requests are accepted in between', async () => {
  const crm = aCrm();
  const signIn = shareSignIn(crm.ways);
  for (let night = 1; night <= 5; night += 1) {
    expect(await signIn.authorized(crm.answer)).toEqual({ status: 200, token: `token ${night}` });
    crm.expire();
  }
});

it('gives up on a CRM that refuses whatever it has just given', async () => {
  const crm = aCrm();
  const signIn = shareSignIn(crm.ways);
  const refused = signIn.authorized(async () => ({ status: 401 }));
  await expect(refused).rejects.toThrow('refused for good');
  expect(crm.given()).toBe(3);
});

it('renews once for all the requests that find it expired', async () => {
  const crm = aCrm();
  const signIn = shareSignIn(crm.ways);
  await signIn.authorized(crm.answer);
  crm.expire();
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => signIn.authorized(crm.answer)),
  );
  expect(new Set(replies.map(({ token }) => token))).toEqual(new Set(['token 2']));
  expect(crm.given()).toBe(2);
});

it('does not ask again for a token that would be the same', async () => {
  const crm = aCrm();
  const signIn = shareSignIn({ ...crm.ways, isRenewable: false });
  await signIn.authorized(crm.answer);
  crm.expire();
  await expect(signIn.authorized(crm.answer)).rejects.toThrow('refused for good');
  expect(crm.given()).toBe(1);
});

/** Creates a CRM that accepts only the last token it issued, until the token expires. */
function aCrm() {
  let given = 0;
  let valid = '';
  return {
    ways: {
      async ask() {
        given += 1;
        valid = `token ${given}`;
        return { accessToken: valid };
      },
      isRenewable: true,
      refusedForGood: () => new Error('refused for good'),
    },
    answer: async (token: string) => ({ status: token === valid ? 200 : 401, token }),
    expire() {
      valid = '';
    },
    given: () => given,
  };
}
