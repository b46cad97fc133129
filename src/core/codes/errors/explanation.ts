/** The explanation of an error code. The error's own message explains further details. */
export interface ErrorExplanation {
  /** A description of what happened, and what did not happen. */
  means: string;
  /** The next step for the user. */
  next: string;
  /** The cost, if the error involves credits. */
  costs?: string;
  /** The document with more information, if it is different from the topic's document. */
  document?: string;
}

/** The error codes of a topic, with the document that describes most of them. */
export interface ErrorTopic {
  document: string;
  codes: Readonly<Record<string, ErrorExplanation>>;
}
