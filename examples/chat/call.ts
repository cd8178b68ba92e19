import type { CallStep, Chat, Conversation } from "./chat.ts";

type Phase = "calling" | "ringing" | "connected";

/** A call between two people. Only its signalling passes through the service, encrypted like any other message. */
export interface CurrentCall {
  readonly id: string;
  readonly conversation: Conversation;
  readonly phase: Phase;
  /** WebRTC's name for the state of the connection between both browsers. */
  readonly link: RTCPeerConnectionState;
}

/** Age after which an offer is ignored, because the caller no longer waits. */
const ringingMilliseconds = 45_000;
const gatheringMilliseconds = 1_000;

/**
 * The calls of a device, one at a time. It transmits no sound: in place of a microphone, it connects a data channel.
 */
export class Calls {
  readonly #chat: Chat;
  readonly #changed: () => void;
  #current:
    | (CurrentCall & { readonly peer: RTCPeerConnection; readonly offer?: string | undefined })
    | undefined;

  constructor(chat: Chat, changed: () => void) {
    this.#chat = chat;
    this.#changed = changed;
  }

  get current(): CurrentCall | undefined {
    return this.#current;
  }

  async place(conversation: Conversation): Promise<void> {
    const id = crypto.randomUUID();
    const peer = await this.#begin(id, conversation, "calling");
    peer.createDataChannel("voice");
    await peer.setLocalDescription(await peer.createOffer());
    await this.#say("offer", await describe(peer));
  }

  async accept(): Promise<void> {
    const call = this.#current;
    if (call?.offer === undefined) return;
    const { peer, offer } = call;
    await peer.setRemoteDescription({ type: "offer", sdp: offer });
    await peer.setLocalDescription(await peer.createAnswer());
    this.#current = { ...call, phase: "connected" };
    this.#changed();
    await this.#say("answer", await describe(peer));
  }

  /** Hang up, or decline. */
  async end(): Promise<void> {
    const told = this.#say("end");
    this.#close();
    await told;
  }

  /** Handle what somebody else's device has sent. */
  async receive(conversation: Conversation, { call, step, sdp = "" }: CallStep, at: string): Promise<void> {
    if (step === "offer") {
      if (Date.now() - Date.parse(at) > ringingMilliseconds) return;
      if (this.#current !== undefined) {
        await this.#chat.sendCallStep(conversation, { type: "call", call, step: "end" });
        return;
      }
      await this.#begin(call, conversation, "ringing", sdp);
    }
    const current = this.#current;
    if (current?.id !== call) return;
    if (step === "end") this.#close();
    if (step === "answer" && current.phase === "calling") {
      this.#current = { ...current, phase: "connected" };
      this.#changed();
      await current.peer.setRemoteDescription({ type: "answer", sdp });
    }
  }

  async #begin(
    id: string,
    conversation: Conversation,
    phase: Phase,
    offer?: string,
  ): Promise<RTCPeerConnection> {
    const peer = new RTCPeerConnection({ iceServers: await this.#chat.callServers() });
    this.#current = { id, conversation, phase, link: peer.connectionState, peer, offer };
    peer.addEventListener("connectionstatechange", () => {
      if (this.#current?.peer !== peer) return;
      this.#current = { ...this.#current, link: peer.connectionState };
      this.#changed();
    });
    this.#changed();
    return peer;
  }

  async #say(step: CallStep["step"], sdp?: string): Promise<void> {
    if (this.#current === undefined) return;
    const { id, conversation } = this.#current;
    await this.#chat.sendCallStep(conversation, {
      type: "call",
      call: id,
      step,
      ...(sdp !== undefined && { sdp }),
    });
  }

  #close(): void {
    this.#current?.peer.close();
    this.#current = undefined;
    this.#changed();
  }
}

/** The local description with the addresses that were found in time: a server that does not answer delays no call. */
async function describe(peer: RTCPeerConnection): Promise<string> {
  const complete = new Promise<void>((resolve) => {
    const check = () => peer.iceGatheringState === "complete" && resolve();
    peer.addEventListener("icegatheringstatechange", check);
    setTimeout(resolve, gatheringMilliseconds);
    check();
  });
  await complete;
  return peer.localDescription?.sdp ?? "";
}
