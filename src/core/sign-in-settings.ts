/** The settings of an identity provider, with which users sign in without passwords. */
export interface ProviderSettings {
  /**
   * The issuer of an OpenID Connect provider. The provider's configuration is at `/.well-known/openid-configuration`
   * below this address.
   */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The label of the sign-in button. Defaults to the issuer's host. */
  name?: string | undefined;
  /** The domains of accepted email addresses. If omitted, all domains are accepted. */
  allowedDomains?: readonly string[] | undefined;
}

/** The setting `server.plainHttp`, which decides whether users can sign in over connections that others could read. */
export type PlainHttp = 'refuse' | 'allow';
