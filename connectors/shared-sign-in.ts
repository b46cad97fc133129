/** The sign-in of one connector. Requests that find it expired share one renewal. */
export interface SharedSignIn<SignIn> {
  /** Signs in if nobody has yet, or if the sign-in is about to end. */
  signIn(): Promise<SignIn>;
  /** Sends with the present token, and again with a new one for as long as the CRM answers 401. */
  authorized<Reply extends { status: number }>(
    send: (accessToken: string) => Promise<Reply>,
  ): Promise<Reply>;
}

export interface SignInWays<SignIn> {
  /** Asks the CRM; throws one of the four kinds of error. */
  ask(): Promise<SignIn>;
  /** False if asking again would only give the same token. */
  isRenewable: boolean;
  /** True if it is better renewed before it is used again; never, if left out. */
  isStale?(signIn: SignIn): boolean;
  /** What is thrown when the CRM refuses even what it has just given. */
  refusedForGood(): Error;
}

/** Renewals in a row, without an accepted request in between, before giving up. */
const MAX_RENEWALS = 2;

/** Tries of one request; what is accepted meanwhile starts the count of renewals anew. */
const MAX_SIGN_INS = 4;

/** Makes the sign-in of a connector; asks nothing yet. */
export function shareSignIn<SignIn extends { accessToken: string }>(
  ways: SignInWays<SignIn>,
): SharedSignIn<SignIn> {
  let current: SignIn | null = null;
  let underWay: Promise<SignIn> | null = null;
  let renewals = 0;

  return {
    signIn,
    async authorized(send) {
      let { accessToken } = await signIn();
      for (let attempt = 1; ; attempt += 1) {
        const reply = await send(accessToken);
        if (reply.status !== 401) {
          renewals = 0;
          return reply;
        }
        if (attempt === MAX_SIGN_INS) return reply;
        accessToken = (await renew(accessToken)).accessToken;
      }
    },
  };

  async function signIn(): Promise<SignIn> {
    const isUsable = current !== null && !(ways.isStale?.(current) ?? false);
    return current !== null && isUsable ? current : share();
  }

  /** A sign-in other than the one with this token, which the CRM refused. */
  async function renew(rejectedToken: string): Promise<SignIn> {
    if (current !== null && current.accessToken !== rejectedToken) return current;
    if (underWay === null) {
      if (!ways.isRenewable || renewals >= MAX_RENEWALS) throw ways.refusedForGood();
      renewals += 1;
    }
    return share();
  }

  function share(): Promise<SignIn> {
    underWay ??= ways
      .ask()
      .then((signIn) => {
        current = signIn;
        return signIn;
      })
      .finally(() => {
        underWay = null;
      });
    return underWay;
  }
}
