// The tests of sockets once more, with sockets that a relay holds: the project `relay` runs this file, so that one stack
// is enough for all of them.
import "./await-socket.test.ts";
import "./ended-sockets.test.ts";
import "./events-socket.test.ts";
