import Foundation

let api = URL(string: "http://127.0.0.1:8080")!

struct Session: Decodable {
    let accessToken: String
    let user: String

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case user
    }
}

struct Profile: Decodable {
    let id: UUID
    let name: String
}

struct Failure: Decodable, Error {
    let code: Int
    let label: String
    let message: String
}

/// Keeps the cookie `zuid`, and sends it to `/access` only.
let http = URLSession(configuration: .default)

func call(_ method: String, _ path: String, token: String? = nil, body: [String: Any]? = nil) async throws -> Data {
    var request = URLRequest(url: URL(string: path, relativeTo: api)!)
    request.httpMethod = method
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    if let body {
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: body)
    }
    let (data, response) = try await http.data(for: request)
    guard let answer = response as? HTTPURLResponse, answer.statusCode < 300 else {
        throw try JSONDecoder().decode(Failure.self, from: data)
    }
    return data
}

func logIn(_ email: String, _ password: String) async throws -> Session {
    let body = ["email": email, "password": password]
    return try JSONDecoder().decode(Session.self, from: await call("POST", "/v8/login?persist=true", body: body))
}

func refresh() async throws -> Session {
    try JSONDecoder().decode(Session.self, from: await call("POST", "/access"))
}

_ = try await logIn("ada@example.com", "correct horse battery")
let session = try await refresh()
let profile = try JSONDecoder().decode(Profile.self, from: await call("GET", "/v8/self", token: session.accessToken))
print("Logged in as \(profile.name)")

struct Arrival: Decodable {
    struct Event: Decodable { let type: String }
    let id: String
    let payload: [Event]
}

var address = URLComponents(url: api.appendingPathComponent("await"), resolvingAgainstBaseURL: false)!
address.scheme = "ws"
address.queryItems = [URLQueryItem(name: "access_token", value: session.accessToken)]
let socket = http.webSocketTask(with: address.url!)
socket.resume()
while true {
    let data: Data
    switch try await socket.receive() {
    case .data(let bytes): data = bytes
    case .string(let text): data = Data(text.utf8)
    @unknown default: continue
    }
    guard let arrival = try? JSONDecoder().decode(Arrival.self, from: data) else { continue }
    for event in arrival.payload { print("Event: \(event.type)") }
}
