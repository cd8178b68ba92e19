import { expect } from "vitest";
import { type ApiAnswer, outcome } from "./api.ts";
import { eventually } from "./eventually.ts";

/** Sends requests as a client would: again when the server failed or was busy. */
export class RepeatingClient {
  /** Whether a request was repeated: it may have had its effect before. */
  hasRepeated = false;

  /** @param repeated what the repetition of a request may be answered that had its effect before */
  async send(request: () => Promise<ApiAnswer>, expected: string, ...repeated: string[]): Promise<ApiAnswer> {
    const accepted = [expected];
    const isRepeated = () => {
      this.hasRepeated = true;
      accepted.push(...repeated);
    };
    const answer = await eventually(async () => {
      const current = await request().catch((error) => {
        isRepeated();
        throw error;
      });
      if (current.status !== 503 && outcome(current) !== "409 concurrent-change") return current;
      isRepeated();
      throw new Error(`Answered ${outcome(current)} instead of ${expected}`);
    });
    expect(accepted).toContain(outcome(answer));
    return answer;
  }
}
